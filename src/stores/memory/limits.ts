import type { Handoff } from '../../domain/handoff.ts';
import { slotsNeeded, usesCapacity, type Limits, type LimitSlot } from '../../domain/limits.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Draft } from './tables.ts';

/** The first counter without room for `next`, or null; what takes a place already needs no second one. */
export function fullPlace(draft: Draft, limits: Limits, before: Handoff | null, next: Handoff): Refusal | null {
  if (!usesCapacity(next) || (before !== null && usesCapacity(before))) return null;
  for (const place of slotsNeeded(limits, next.from, next.to, next.kind)) {
    const { agent, direction, max } = place;
    const count = countIn(draft, place);
    if (count >= max) return { code: 'limit-reached', agent, direction, count, max };
  }
  return null;
}

/** Counted anew each time: slower than a counter, and never wrong. */
function countIn(draft: Draft, { agent, direction, counts }: LimitSlot): number {
  let count = 0;
  for (const { handoff } of draft.rows()) {
    const isTheirs = agent === (direction === 'outgoing' ? handoff.from : handoff.to);
    if (isTheirs && usesCapacity(handoff) && (counts === 'all' || handoff.kind === 'document')) count += 1;
  }
  return count;
}
