/** Reads the rows of a page one by one: a damaged record is reported and does not hide the others. */
import { UnreadableRecord } from '../foundation/store-fault.ts';
import type { CopiesPage, Copy } from './store.ts';

export const TEXT_MISSING = 'its text is missing';

export function copiesIn<Row>(rows: readonly Row[], read: (row: Row) => Copy): Omit<CopiesPage, 'next'> {
  const items: Copy[] = [];
  const damaged: { id: string; says: string }[] = [];
  for (const row of rows) {
    try {
      items.push(read(row));
    } catch (error) {
      if (!(error instanceof UnreadableRecord)) throw error;
      damaged.push({ id: error.id, says: error.says });
    }
  }
  return { items, damaged };
}
