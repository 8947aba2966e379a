/** The months of the archive, as they are called: `2026/02`. */
import type { DocumentPlace } from './folder.ts';

/** Nobody looks for what was settled longer ago than this. */
const MONTHS_MAX = 24;

function monthOf(instant: number): DocumentPlace {
  return new Date(instant).toISOString().slice(0, 7).replace('-', '/');
}

/** From the month after now (clocks of others may be ahead) back to the one given. */
export function monthsFrom(sinceMs: number): readonly DocumentPlace[] {
  const first = monthOf(sinceMs);
  return monthsBack().filter((month) => month >= first);
}

export function monthsBack(): readonly DocumentPlace[] {
  const now = new Date();
  return Array.from({ length: MONTHS_MAX }, (_, back) => {
    return monthOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1 - back, 1));
  });
}
