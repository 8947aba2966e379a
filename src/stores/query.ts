/** What can be asked of a store, as a part of its contract (`store.ts`). */
import type { Fact } from '../domain/facts.ts';
import type { Handoff, Kind } from '../domain/handoff.ts';
import type { State } from '../domain/lifecycle.ts';
import type { AgentId, ArtifactId, HandoffId, SessionId } from '../domain/names.ts';
import type { Priority } from '../domain/priority.ts';
import type { RequestKey } from './store.ts';

export type Query =
  | { readonly by: 'ids'; readonly ids: readonly HandoffId[] }
  /** Those whose clock has run out by the store's own time. */
  | { readonly by: 'overdue'; readonly max: number }
  /** What a request was answered with, in order; nothing where it was never asked, or is forgotten. */
  | { readonly by: 'request'; readonly request: Pick<RequestKey, 'by' | 'key'> }
  | { readonly by: 'session'; readonly session: SessionId; readonly max: number }
  /** The root and all that descend from it, oldest first. */
  | { readonly by: 'chain'; readonly root: HandoffId; readonly max: number; readonly visibleTo?: AgentId }
  /** Whose terms name one of these artifacts, newest first. */
  | { readonly by: 'artifacts'; readonly artifacts: readonly ArtifactId[]; readonly max: number }
  /** Waiting for a place under a limit, oldest first. */
  | { readonly by: 'places'; readonly max: number; readonly after?: string }
  /**
   * Blocked by a question with a deadline, by dependencies one of which has a name that begins so, or by dependencies
   * one of which has ended without being completed; oldest first.
   */
  | {
      readonly by: 'waiting';
      readonly on: 'answer' | 'failed' | { readonly named: string };
      readonly max: number;
      readonly after?: string;
    }
  /** Ids that Baton made and whose random part begins so (`shortIdOf`), oldest first. Reads every id: for people who type one. */
  | { readonly by: 'short-id'; readonly short: string; readonly max: number }
  /** The retries of these, oldest first. */
  | { readonly by: 'retries'; readonly of: readonly Pick<Handoff, 'id' | 'lineage'>[]; readonly max: number }
  /** Blocked by dependencies that are all completed now. */
  | { readonly by: 'freed'; readonly max: number }
  | (Wanted & {
      readonly by: 'filter';
      readonly oldestFirst?: true;
      readonly max: number;
      readonly after?: string;
    });

/** Which handoffs a list is about. */
export interface Wanted {
  readonly states?: readonly State[];
  readonly from?: AgentId;
  readonly to?: AgentId;
  /** Sender or recipient. */
  readonly agent?: AgentId;
  readonly task?: string;
  readonly kind?: Kind;
  readonly priorities?: readonly Priority[];
  /** Made at this instant or later. */
  readonly createdSince?: number;
  /** Made before this instant. */
  readonly createdBefore?: number;
  /**
   * Only what this agent is sender, recipient or named verifier of (`isPartyOf`). Everything else is as if it were
   * not there: it is not matched, not counted, and no page ends because of it.
   */
  readonly visibleTo?: AgentId;
  /** All of these words, in any order, in title, task or body; case and accents do not matter. */
  readonly text?: string;
}

/** How many there are in each state; states without any are left out. */
export type StateCounts = Readonly<Partial<Record<State, number>>>;

/** Newest first for `filter`, unless asked otherwise; `next` continues where the page ends (for `filter`, `places` and `waiting`). */
export interface Page {
  readonly items: readonly Handoff[];
  readonly next: string | null;
}

export interface FactQuery {
  /** Of one handoff, from its first. Without: of all, after the cursor. */
  readonly handoff?: HandoffId;
  readonly after?: string;
  readonly max: number;
  /** Of all, only these, in the same order and with the same cursors. Not together with `handoff` or `newest`. */
  readonly only?: FactFilter;
  /** The last `max` of all, oldest first: where a listener begins that does not want the whole past. */
  readonly newest?: true;
}

/** Which facts are wanted: all that is said has to hold. */
export interface FactFilter {
  readonly handoff?: HandoffId;
  /** Sender or recipient of the handoff. */
  readonly agent?: AgentId;
  /** The states that a handoff was in after the fact. */
  readonly states?: readonly State[];
}

export interface FactRead {
  readonly fact: Fact;
  readonly cursor: string;
}

/** The later of two places in the feed: numbers, or numbers joined by colons of which the first weighs most. */
export function laterCursor(one: string, other: string | null): string {
  if (other === null || other === '') return one;
  if (one === '') return other;
  const [left, right] = [one.split(':').map(BigInt), other.split(':').map(BigInt)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 || (left[at] as bigint) > (right[at] ?? 0n) ? one : other;
}
