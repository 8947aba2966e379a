/**
 * Counts handoffs by state. A count may read every handoff, so an answer is reused for twenty times as long as it took:
 * counting never takes more than a twentieth of the time.
 */
import type { AgentId } from '../../domain/names.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { StateCounts, Store } from '../../stores/store.ts';
import { setNewest } from './bounded-map.ts';

const KEPT_FACTOR = 20;
const READERS_MAX = 100;

export type Totals = (visibleTo?: AgentId) => Promise<StateCounts>;

export function openTotals(store: Store, clock: Clock): Totals {
  const known = new Map<string, { readonly untilMs: number; readonly counts: Promise<StateCounts> }>();
  return async (visibleTo) => {
    const key = visibleTo ?? '';
    const beganMs = clock.monotonicMs();
    const before = known.get(key);
    if (before !== undefined && before.untilMs > beganMs) return before.counts;
    const counts = store.count(visibleTo === undefined ? {} : { visibleTo });
    // Requests that come while the store counts get the same answer.
    setNewest(known, key, { untilMs: Infinity, counts }, READERS_MAX);
    try {
      await counts;
    } finally {
      const nowMs = clock.monotonicMs();
      known.set(key, { untilMs: nowMs + KEPT_FACTOR * (nowMs - beganMs), counts });
    }
    return counts;
  };
}
