/** The queries of the store contract (`store.ts`). */
import type { Fact } from '../domain/facts.ts';
import type { Handoff, Kind } from '../domain/handoff.ts';
import type { State } from '../domain/lifecycle.ts';
import type { AgentId, ArtifactId, HandoffId, SessionId } from '../domain/names.ts';
import type { Priority } from '../domain/priority.ts';
import type { RequestKey } from './store.ts';

export type Query =
  | { readonly by: 'ids'; readonly ids: readonly HandoffId[] }
  /** Handoffs whose deadline has passed by the store's clock. */
  | { readonly by: 'overdue'; readonly max: number }
  /** The handoffs that a request returned, in order. Empty: the request is unknown or no longer stored. */
  | { readonly by: 'request'; readonly request: Pick<RequestKey, 'by' | 'key'> }
  | { readonly by: 'session'; readonly session: SessionId; readonly max: number }
  /** The root and all its descendants, oldest first. */
  | { readonly by: 'chain'; readonly root: HandoffId; readonly max: number; readonly visibleTo?: AgentId }
  /** Handoffs whose terms name one of the artifacts, newest first. */
  | { readonly by: 'artifacts'; readonly artifacts: readonly ArtifactId[]; readonly max: number }
  /** Blocked until a limit has room, oldest first. */
  | { readonly by: 'places'; readonly max: number; readonly after?: string }
  /**
   * Blocked handoffs, oldest first. `answer`: by a question with a deadline; `failed`: by a dependency that ended without
   * being completed; `named`: by a dependency whose id begins so.
   */
  | {
      readonly by: 'waiting';
      readonly on: 'answer' | 'failed' | { readonly named: string };
      readonly max: number;
      readonly after?: string;
    }
  /** Handoffs with an id of Baton whose random part begins so (`shortIdOf`), oldest first. Reads every id. */
  | { readonly by: 'short-id'; readonly short: string; readonly max: number }
  /** The retries of the given handoffs, oldest first. */
  | { readonly by: 'retries'; readonly of: readonly Pick<Handoff, 'id' | 'lineage'>[]; readonly max: number }
  /** Blocked by dependencies, all of which are completed now. */
  | { readonly by: 'freed'; readonly max: number }
  | (HandoffFilter & {
      readonly by: 'filter';
      readonly oldestFirst?: true;
      readonly max: number;
      readonly after?: string;
    });

/** Which handoffs a list contains. */
export interface HandoffFilter {
  readonly states?: readonly State[];
  readonly from?: AgentId;
  readonly to?: AgentId;
  /** Sender or recipient. */
  readonly agent?: AgentId;
  readonly task?: string;
  readonly kind?: Kind;
  readonly priorities?: readonly Priority[];
  /** Created at this instant or later. */
  readonly createdSince?: number;
  /** Created before this instant. */
  readonly createdBefore?: number;
  /**
   * Only handoffs of which this agent is sender, recipient or named verifier (`partiesOf`). All others are neither
   * matched nor counted, and no page is shorter because of them.
   */
  readonly visibleTo?: AgentId;
  /** Title, task or body contain all of these words, in any order. Case and accents are ignored. */
  readonly text?: string;
}

/** The number of handoffs per state. States without handoffs are left out. */
export type StateCounts = Readonly<Partial<Record<State, number>>>;

/** For `filter` newest first by default. `next` is the cursor of the next page (`filter`, `places` and `waiting` only). */
export interface Page {
  readonly items: readonly Handoff[];
  readonly next: string | null;
}

export interface FactQuery {
  /** Facts of this handoff, from its first. Absent: facts of all handoffs, after the cursor. */
  readonly handoff?: HandoffId;
  readonly after?: string;
  readonly max: number;
  /** Only facts that match, with the same order and cursors. Not together with `handoff` or `newest`. */
  readonly only?: FactFilter;
  /** The last `max` facts, oldest first: the starting point of a listener that does not read the history. */
  readonly newest?: true;
}

/** All given conditions must hold. */
export interface FactFilter {
  readonly handoff?: HandoffId;
  /** Sender or recipient of the handoff. */
  readonly agent?: AgentId;
  /** The state of the handoff after the fact. */
  readonly states?: readonly State[];
}

export interface FactRead {
  readonly fact: Fact;
  readonly cursor: string;
}

/** The later of two feed cursors: each a number, or numbers joined by colons, most significant first. */
export function laterCursor(one: string, other: string | null): string {
  if (other === null || other === '') return one;
  if (one === '') return other;
  const [left, right] = [one.split(':').map(BigInt), other.split(':').map(BigInt)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 || (left[at] as bigint) > (right[at] ?? 0n) ? one : other;
}
