import type { Result } from '../../foundation/result.ts';
import { overdueRefusal } from '../../domain/deadlines.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { block } from '../../domain/moves/block.ts';
import { offer } from '../../domain/moves/offer.ts';
import type { HandoffId } from '../../domain/names.ts';
import { SYSTEM, type Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { andThen, change, decideBy, previewDecision } from '../change.ts';
import type { Context } from '../context.ts';
import { awaited } from './dependencies.ts';

/** A draft becomes an offer; where it waits for others, it waits from now on, and its clock of a draft is over. */
export async function activate(ctx: Context, principal: Principal, id: HandoffId): Promise<Result<Handoff, Refusal>> {
  const offered = decideBy(principal, 'offer', (handoff, nowMs) => ({
    deed: 'offer',
    moved: overdueRefusal(handoff, nowMs) ?? offer(handoff, nowMs),
  }));
  // What it waits for may be files: they are looked at for whoever may offer it.
  const seen = await previewDecision(ctx, id, offered);
  if (!seen.ok) return seen;
  const draft = seen.value;
  const reason = await awaited(ctx, draft);
  return change(ctx, draft, reason === null ? offered : andThen(offered, () => true, decideWaiting(reason)));
}

/** On offer, but not to be had yet. */
export function decideWaiting(reason: 'dependency' | 'artifact'): Decide {
  return decideBy(SYSTEM, 'block', (handoff, nowMs) => ({
    deed: 'block',
    moved: block(handoff, { reason }, null, nowMs),
    detail: { reason },
  }));
}
