import { overdueRefusal } from '../../domain/deadlines.ts';
import type { Decide } from '../../domain/decision.ts';
import { block } from '../../domain/moves/block.ts';
import { offer } from '../../domain/moves/offer.ts';
import type { HandoffId } from '../../domain/names.ts';
import { SYSTEM, type Principal } from '../../domain/principal.ts';
import { change, decideBy, inOrder, previewDecision, type ChangeResult } from '../change.ts';
import type { Context } from '../context.ts';
import { awaited } from './dependencies.ts';

/** A draft becomes an offer. Where the offer depends on something, it is blocked at once, and the draft clock stops. */
export async function activate(ctx: Context, principal: Principal, id: HandoffId): ChangeResult {
  const offered = decideBy(principal, 'offer', (handoff, nowMs) => ({
    moved: overdueRefusal(handoff, nowMs) ?? offer(handoff, nowMs),
  }));
  // Awaited artifacts are files, and only a caller who may offer the draft causes them to be read.
  const previewed = await previewDecision(ctx, id, offered);
  if (!previewed.ok) return previewed;
  const draft = previewed.value;
  return change(ctx, draft, thenWaiting(offered, await awaited(ctx, draft)));
}

/** The decision, and after it a block for what is still awaited; null: nothing is. */
export function thenWaiting(decide: Decide, reason: 'dependency' | 'artifact' | null): Decide {
  return reason === null ? decide : inOrder([decide, decideWaiting(reason)]);
}

export function decideWaiting(reason: 'dependency' | 'artifact'): Decide {
  return decideBy(SYSTEM, 'block', (handoff, nowMs) => ({
    moved: block(handoff, { reason }, null, nowMs),
    detail: { reason },
  }));
}
