import { overdueRefusal } from '../../domain/deadlines.ts';
import type { Decide } from '../../domain/decision.ts';
import { block } from '../../domain/moves/block.ts';
import { offer } from '../../domain/moves/offer.ts';
import type { HandoffId } from '../../domain/names.ts';
import { SYSTEM, type Principal } from '../../domain/principal.ts';
import { change, decideBy, inOrder, previewDecision, type ChangeResult } from '../change.ts';
import type { Context } from '../context.ts';
import { blockReasonOf } from './dependencies.ts';

/** Offers a draft. An offer with open dependencies is blocked at once, which stops the draft deadline. */
export async function activate(ctx: Context, principal: Principal, id: HandoffId): ChangeResult {
  const offered = decideBy(principal, 'offer', (handoff, nowMs) => ({
    moved: overdueRefusal(handoff, nowMs) ?? offer(handoff, nowMs),
  }));
  // Awaited artifacts are files, and only a caller who may offer the draft causes them to be read.
  const previewed = await previewDecision(ctx, id, offered);
  if (!previewed.ok) return previewed;
  const draft = previewed.value;
  return change(ctx, draft, thenBlock(offered, await blockReasonOf(ctx, draft)));
}

/** The decision, followed by a block for what is still missing. Null: nothing is. */
export function thenBlock(decide: Decide, reason: 'dependency' | 'artifact' | null): Decide {
  return reason === null ? decide : inOrder([decide, decideBlock(reason)]);
}

export function decideBlock(reason: 'dependency' | 'artifact'): Decide {
  return decideBy(SYSTEM, 'block', (handoff, nowMs) => ({
    moved: block(handoff, { reason }, null, nowMs),
    detail: { reason },
  }));
}
