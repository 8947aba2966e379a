/** How the answer of `prune` is shown: instants as text. */
import type { Pruned } from '../../engine/retention/prune.ts';

export interface PrunedView extends Omit<Pruned, 'settledBefore'> {
  readonly settledBefore: string;
}

export function prunedView({ settledBefore, ...pruned }: Pruned): PrunedView {
  return { ...pruned, settledBefore: new Date(settledBefore).toISOString() };
}
