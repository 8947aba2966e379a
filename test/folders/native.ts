/** What our own workers do, step by step. */
import { present } from '../../src/foundation/assert.ts';
import type { Json } from '../../src/foundation/json.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { claimByHand } from '../../src/engine/handoffs/claim.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { REACT, type QueueWorld } from './queue-world.ts';

export const WORKER = agentPrincipal(REACT);

export async function take({ ctx }: QueueWorld): Promise<Handoff> {
  return present(await claimByHand(ctx, WORKER, REACT), 'there was something to take').handoff;
}

export async function answer({ ctx }: QueueWorld, id: string, result: Json): Promise<void> {
  const taken = await accept(ctx, WORKER, id as HandoffId);
  if (!taken.ok) throw new Error(taken.refusal.code);
  const done = await deliver(ctx, WORKER, { target: taken.value.id, fence: taken.value.fence, result });
  if (!done.ok) throw new Error(done.refusal.code);
}
