/** How many of the given heads a store recognizes as its own, in its own order. */
import type { HandoffId } from '../domain/names.ts';
import type { Head, Transfer } from './store.ts';

export type Recognised = Awaited<ReturnType<Transfer['recognise']>>;

export interface NumberedRow {
  readonly cursor: string;
  readonly id: HandoffId;
  /** Of the fact that made the revision that the head in the same place tells of; null: there is none. */
  readonly hash: string | null;
}

export function recognisedIn(rows: readonly NumberedRow[], heads: readonly Head[], after: string | null): Recognised {
  const differs = heads.findIndex((head, index) => {
    const row = rows[index];
    return row?.id !== head.id || row.hash !== head.trail;
  });
  const known = differs === -1 ? heads.length : differs;
  return { known, next: rows[known - 1]?.cursor ?? after };
}
