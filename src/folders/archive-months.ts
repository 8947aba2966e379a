/** Folder names for the months of the document archive, such as `2026/02`. */
import { archiveMonth } from '../formats/document/names.ts';
import type { DocumentPlace } from './folder.ts';

/** Older documents are not searched for. */
const MONTHS_MAX = 24;

/** From the next month (other clocks may be ahead) back to the given one. */
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
