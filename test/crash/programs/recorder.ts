/** Does a little of everything, one after the other, and says what was acknowledged as soon as it was. */
import { SESSION_LEASE_MS } from '../../../src/domain/deadlines.ts';
import type { Handoff } from '../../../src/domain/handoff.ts';
import type { SessionId } from '../../../src/domain/names.ts';
import { agentPrincipal } from '../../../src/domain/principal.ts';
import { claimByHand, claimForSession } from '../../../src/engine/handoffs/claim.ts';
import { deliver } from '../../../src/engine/handoffs/deliver.ts';
import { fail } from '../../../src/engine/handoffs/fail.ts';
import { send } from '../../../src/engine/handoffs/send.ts';
import { present } from '../../../src/foundation/assert.ts';
import { agentNamed, openHouseFor, readOrder, say, type Order } from './orders.ts';

export interface RecorderOrder extends Order {
  readonly rounds: number;
  readonly session: string;
  /** Bytes of each body: with enough of them the log is worth a checkpoint. */
  readonly bodyBytes: number;
}

export interface Acknowledged {
  readonly id: string;
  readonly state: string;
  readonly revision: number;
}

const order = readOrder<RecorderOrder>();
const app = await openHouseFor(order);
const { ctx } = app;
const sender = agentNamed('sender');
const worker = agentNamed('worker');
const doer = agentPrincipal(worker);
const session = order.session as SessionId;
await ctx.store.sessions.open({
  id: session,
  agent: worker,
  process: ctx.liveness.self,
  leaseMs: SESSION_LEASE_MS,
});

function acknowledge({ id, state, revision }: Handoff): void {
  say({ id, state, revision } satisfies Acknowledged);
}

async function sendOne(): Promise<void> {
  const input = 'x'.repeat(order.bodyBytes);
  const sent = await send(ctx, agentPrincipal(sender), { from: sender, to: worker, input });
  if (!sent.ok) throw new Error(sent.refusal.code);
  acknowledge(sent.value);
}

for (let round = 0; round < order.rounds; round += 1) {
  // Together, so that they share a commit.
  await Promise.all([sendOne(), sendOne(), sendOne()]);
  const byHand = present(await claimByHand(ctx, doer, worker), 'there is one to claim').handoff;
  acknowledge(byHand);
  // A beat is written without waiting for the disk, between writes that do.
  await ctx.store.sessions.beat(session);
  const [claimed] = await claimForSession(ctx, doer, worker, session, 1);
  const bySession = present(claimed, 'there is another one').handoff;
  acknowledge(bySession);
  const done = await deliver(ctx, doer, { target: byHand, fence: byHand.fence, result: { round } });
  if (done.ok) acknowledge(done.value);
  const failure = { code: 'PROCESSING_ERROR', message: 'so that it comes again' };
  const failed = await fail(ctx, doer, { target: bySession, fence: bySession.fence, failure });
  if (failed.ok) acknowledge(failed.value);
  await ctx.store.upkeep.maintain();
}
await app.close();
