/**
 * Each type of fact once: the moves of the lifecycle, and the facts that are no moves. The position in the table is the number
 * that both databases store, so append new types at the end. A type that is no move also needs a migration in each database.
 */
import { FINAL_STATES, type Move, type State } from './lifecycle.ts';

interface FactKind {
  /** What the caller did, for people. */
  readonly text: string;
  /** No move: the handoff has one of these states and keeps it. */
  readonly within?: readonly State[];
  /** Of several in a row only the newest is shown. */
  readonly isRoutine?: true;
}

const HELD: readonly State[] = ['accepted'];

const FACT_TYPES = {
  create: { text: 'created' },
  renew: { text: 'renewed the lease', within: HELD, isRoutine: true },
  progress: { text: 'reported progress', within: HELD, isRoutine: true },
  offer: { text: 'offered' },
  expire: { text: 'expired' },
  cancel: { text: 'cancelled' },
  accept: { text: 'accepted' },
  reject: { text: 'rejected' },
  block: { text: 'blocked' },
  fail: { text: 'failed' },
  unblock: { text: 'unblocked' },
  deliver: { text: 'delivered' },
  retry: { text: 'failed; will be tried again' },
  release: { text: 'released the handoff' },
  verify: { text: 'approved' },
  rework: { text: 'asked for changes' },
  reoffer: { text: 'asked for changes; offered again' },
  /** This database follows the shared history of a document that contradicts it. */
  supersede: { text: 'replaced by the shared git history' },
  complete: { text: 'completed; no verifier required' },
  /** Blocked for another reason. */
  reblock: { text: 'still blocked', within: ['blocked'] },
  revise: { text: 'revised' },
  /** The content of a finished handoff was erased. */
  erase: { text: 'erased the content', within: FINAL_STATES },
} satisfies Readonly<Record<Move, FactKind>> & Readonly<Record<string, FactKind>>;

export type FactType = keyof typeof FACT_TYPES;
export const FACT_TYPE_NAMES = Object.keys(FACT_TYPES) as readonly FactType[];

/** Undefined for a type that only a newer version of Baton knows. */
export function kindOf(type: string): FactKind | undefined {
  return (FACT_TYPES as Readonly<Partial<Record<string, FactKind>>>)[type];
}

/** Whether nobody has to act on the fact. After `reblock` the handoff waits for something else. */
export function changesNothing(type: FactType): boolean {
  return kindOf(type)?.within !== undefined && type !== 'reblock';
}
