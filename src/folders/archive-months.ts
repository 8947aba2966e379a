/** The months of the archive, as they are called: `2026/02`. */
import { archiveMonth } from '../formats/document/names.ts';
import type { DocumentPlace } from './folder.ts';

/** Nobody looks for what was settled longer ago than this. */
const MONTHS_MAX = 24;

/** From the month after now (clocks of others may be ahead) back to the one given. */
export function monthsFrom(sinceMs: number): readonly DocumentPlace[] {
  const first = archiveMonth(sinceMs);
  return monthsBack().filter((month) => month >= first);
}

export function monthsBack(): readonly DocumentPlace[] {
  const now = new Date();
  return Array.from({ length: MONTHS_MAX }, (_, back) => {
    return archiveMonth(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1 - back, 1));
  });
}
