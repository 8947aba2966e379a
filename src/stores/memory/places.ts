import type { Handoff } from '../../domain/handoff.ts';
import { placesNeeded, takesPlace, type Limits, type Place } from '../../domain/limits.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Draft } from './shelf.ts';

/** The first counter without room for `next`, or null; what takes a place already needs no second one. */
export function fullPlace(draft: Draft, limits: Limits, before: Handoff | null, next: Handoff): Refusal | null {
  if (!takesPlace(next) || (before !== null && takesPlace(before))) return null;
  for (const place of placesNeeded(limits, next.from, next.to, next.kind)) {
    const { agent, direction, max } = place;
    const count = countIn(draft, place);
    if (count >= max) return { code: 'limit-reached', agent, direction, count, max };
  }
  return null;
}

/** Counted anew each time: slower than a counter, and never wrong. */
function countIn(draft: Draft, { agent, direction, counts }: Place): number {
  let count = 0;
  for (const { handoff } of draft.rows()) {
    const isTheirs = agent === (direction === 'outgoing' ? handoff.from : handoff.to);
    if (isTheirs && takesPlace(handoff) && (counts === 'all' || handoff.kind === 'document')) count += 1;
  }
  return count;
}
