/**
 * How finished handoffs leave a database. They are read first, so that they can be written to an archive; what is removed
 * afterwards is exactly what was read, or it stays. For each a tombstone stays, which says where it went.
 */
import type { AgentId, HandoffId } from '../domain/names.ts';
import type { Refusal } from '../domain/refusals.ts';
import type { CopiesPage, Head } from './store.ts';

export interface Retention {
  /**
   * Looks at `max` records after the cursor and answers those that can go. A handoff can go when all of its chain are
   * final since before that instant, and nothing that is open depends on one of them. Documents stay: git has their texts.
   */
  removable(settledBefore: number, after: string | null, max: number): Promise<CopiesPage>;
  /**
   * All in one transaction: takes out those that are still as told and that nobody needs now, with all that belongs to
   * them. One answer for each, in order.
   */
  remove(heads: readonly Head[], archive: string): Promise<readonly Removal[]>;
  /** Those of them that were removed and not imported again. */
  removed(ids: readonly HandoffId[]): Promise<readonly RemovedHandoff[]>;
}

/**
 * `removed`: it is in that archive, also if an earlier call removed it. `elsewhere`: it is not here, and not because of
 * that archive. `changed`: it is not as told. `needed`: something open needs it, or it is the newest of all.
 */
export type Removal = 'removed' | 'elsewhere' | 'changed' | 'needed';

/** One call never holds the write lock for longer than a claim may wait for it. */
export const REMOVED_MAX = 50;

export interface RemovedHandoff {
  readonly id: HandoffId;
  readonly from: AgentId;
  readonly to: AgentId;
  readonly at: number;
  readonly archive: string;
}

export function removedRefusal({ id, archive, at }: RemovedHandoff): Refusal {
  return { code: 'handoff-removed', id, archive, at };
}
