import { block as blocked, unblock as unblocked } from '../../domain/moves/block.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import { changeBy, fenceFor, type ChangeResult } from '../change.ts';
import type { Context } from '../context.ts';

/** Stops work until the question is answered. The holder releases the handoff. */
export async function block(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  fence: number | null,
  question: string,
): ChangeResult {
  return changeBy(ctx, principal, id, 'block', (handoff, nowMs) => ({
    moved: blocked(handoff, { reason: 'question', text: question }, fenceFor(principal, handoff, fence), nowMs),
    detail: { question },
  }));
}

export async function unblock(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  answer: string | null = null,
): ChangeResult {
  return changeBy(ctx, principal, id, 'unblock', (handoff, nowMs) => ({
    moved: unblocked(handoff, nowMs),
    detail: answer === null ? null : { answer },
  }));
}
