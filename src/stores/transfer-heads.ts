/** How many of the given heads a store recognizes as its own, in its own order. */
import type { HandoffId } from '../domain/names.ts';
import type { Head, Transfer } from './store.ts';

export type Recognized = Awaited<ReturnType<Transfer['recognize']>>;

export interface NumberedRow {
  readonly cursor: string;
  readonly id: HandoffId;
  /** Hash of the fact with the revision of the head at the same index. Null: there is no such fact. */
  readonly hash: string | null;
}

export function recognizedIn(rows: readonly NumberedRow[], heads: readonly Head[], after: string | null): Recognized {
  const differs = heads.findIndex((head, index) => {
    const row = rows[index];
    return row?.id !== head.id || row.hash !== head.trail;
  });
  const known = differs === -1 ? heads.length : differs;
  return { known, next: rows[known - 1]?.cursor ?? after };
}
