import type { Result } from '../../foundation/result.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { block as blocked, unblock as unblocked } from '../../domain/moves/block.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { change, decideBy, fenceFor } from '../change.ts';
import type { Context } from '../context.ts';

/** Work stops until somebody has answered; whoever holds it lets go. */
export async function block(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  fence: number | null,
  question: string,
): Promise<Result<Handoff, Refusal>> {
  const decide = decideBy(principal, 'block', (handoff, nowMs) => ({
    deed: 'block',
    moved: blocked(handoff, { reason: 'question', text: question }, fenceFor(principal, handoff, fence), nowMs),
    detail: { question },
  }));
  return change(ctx, id, decide);
}

export async function unblock(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  answer: string | null = null,
): Promise<Result<Handoff, Refusal>> {
  const decide = decideBy(principal, 'unblock', (handoff, nowMs) => ({
    deed: 'unblock',
    moved: unblocked(handoff, nowMs),
    detail: answer === null ? null : { answer },
  }));
  return change(ctx, id, decide);
}
