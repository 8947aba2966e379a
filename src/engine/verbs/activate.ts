import type { Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { block } from '../../domain/moves/block.ts';
import { offer } from '../../domain/moves/offer.ts';
import type { HandoffId } from '../../domain/names.ts';
import { SYSTEM, type Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { andThen, change, decideBy, decideFirst } from '../change.ts';
import type { Surroundings } from '../surroundings.ts';
import { awaited } from './dependencies.ts';

/** A draft becomes an offer; where it waits for others, it waits from now on, and its clock of a draft is over. */
export async function activate(
  around: Surroundings,
  principal: Principal,
  id: HandoffId,
): Promise<Result<Handoff, Refusal>> {
  const offered = decideBy(principal, 'offer', (handoff, nowMs) => ({ deed: 'offer', moved: offer(handoff, nowMs) }));
  // What it waits for may be files: they are looked at for whoever may offer it.
  const seen = await decideFirst(around, id, offered);
  if (!seen.ok) return seen;
  const draft = seen.value;
  const reason = await awaited(around, draft);
  return change(around, draft, reason === null ? offered : andThen(offered, () => true, decideWaiting(reason)));
}

/** On offer, but not to be had yet. */
export function decideWaiting(reason: 'dependency' | 'artifact'): Decide {
  return decideBy(SYSTEM, 'block', (handoff, nowMs) => ({
    deed: 'block',
    moved: block(handoff, { reason }, null, nowMs),
    detail: { reason },
  }));
}
