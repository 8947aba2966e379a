/** How the answer of `prune` is shown: instants as text. */
import type { Pruned } from '../../engine/retention/prune.ts';

/** What `prune` answers. */
export interface PrunedHandoffs {
  readonly dryRun: boolean;
  /** ISO 8601. */
  readonly settledBefore: string;
  /** How many were removed, or would be. */
  readonly handoffs: number;
  /** The first of them. */
  readonly ids: readonly string[];
  /** Archived, and needed again before they could be removed: they stay. */
  readonly kept: number;
  /** Names of the archives that were written, oldest first. */
  readonly archives: readonly string[];
  /** What the database cannot read, and so stays. */
  readonly damaged: readonly { readonly id: string; readonly says: string }[];
  readonly stopped: boolean;
}

export function prunedView({ settledBefore, ...pruned }: Pruned): PrunedHandoffs {
  return { ...pruned, settledBefore: new Date(settledBefore).toISOString() };
}
