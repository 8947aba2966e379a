/**
 * The contract with a database. A store opens a transaction, passes the newest record to a pure decision, and writes the
 * result with its facts; it decides nothing itself. Only `insert`, `claim`, `change` and `relay` write handoffs.
 *
 * Acknowledged means durable: what these promises resolve to survives a power cut. A refusal changed nothing. A thrown
 * `StoreFault` with `outcome: 'unknown'` may or may not have changed something; with `'unchanged'` it has not.
 */
export { BadCursor, StoreFault, StoreGone } from '../foundation/store-fault.ts';
export { laterCursor } from './query.ts';
export type { FactFilter, FactQuery, FactRead, Page, Query, StateCounts, Wanted } from './query.ts';
export type { ProcessIdentity } from '../foundation/process-identity.ts';
import type { ClockLook, ClockReading } from '../foundation/clock.ts';
import type { JsonText } from '../foundation/json.ts';
import type { ProcessIdentity } from '../foundation/process-identity.ts';
import type { Result } from '../foundation/result.ts';
import type { Decide, DecideFirst, Effect } from '../domain/decision.ts';
import type { Fact } from '../domain/facts.ts';
import type { Handoff } from '../domain/handoff.ts';
import type { AgentId, HandoffId, SessionId } from '../domain/names.ts';
import type { Refusal } from '../domain/refusals.ts';
import type { FactQuery, FactRead, Page, Query, StateCounts, Wanted } from './query.ts';
import type { AgentSessions } from './agent-session-store.ts';
import type { Pauses } from './pause-store.ts';
import type { Schedules } from './schedule-store.ts';
import type { Tokens } from './token-store.ts';

export type { AgentSessions } from './agent-session-store.ts';
export type { PauseRecord } from './pause-store.ts';
export type { ScheduleRecord } from './schedule-store.ts';
export type { Minting, TokenLogLine, TokenRecord, Tokens, UsedToken } from './token-store.ts';

export interface Store {
  /** All or none; refuses over a limit, on a known id, on a ring. The same request answers the same records. */
  insert(openings: readonly Opening[], guard?: Guard): Promise<Result<readonly Handoff[], Refusal>>;
  /** Takes up to `max` ready handoffs for one agent, best rank first, in one short transaction; none while it is paused. */
  claim(agent: AgentId, max: number, decide: Decide): Promise<readonly Claimed[]>;
  /**
   * Compare-and-swap on the revision: decides over the record at hand (the one given, if it is still the newest) and
   * writes record, facts and outbox in one go; stale is decided again, at most `ROUNDS_MAX` times. One answer per target, in order.
   */
  change(targets: readonly Target[], decide: Decide): Promise<readonly Result<Handoff, Refusal>[]>;
  /**
   * One change and the handoffs that follow from it, all or none: decided over the newest record as `change` does, then
   * opened as `insert` does, with the target as it is after the change. The same request answers the same records.
   */
  relay(target: Target, decide: Decide, openings: readonly Opening[], guard?: Guard): Promise<Result<Relayed, Refusal>>;
  /** A lost body is a fault. With `settled` it returns null until the handoff is settled, at lower cost. */
  load(id: HandoffId, when?: 'settled'): Promise<Whole | null>;
  /** Throws `BadCursor` for an `after` that this store cannot have given out; `facts` does too. */
  find(query: Query): Promise<Page>;
  /** How many handoffs a list would have in all its pages. May take as long as reading all of them. */
  count(wanted: Wanted): Promise<StateCounts>;
  /** In an order that never inserts before what was already read, so that a cursor skips nothing. */
  facts(query: FactQuery): Promise<readonly FactRead[]>;
  /**
   * Ends when something of the topic may have changed: a hint. Polling remains the truth, and stores poll for
   * themselves, so a lost hint costs `POLL_MS`, never the answer. Ask for the hint first, then look, then wait.
   */
  changed(topic: Topic, signal: AbortSignal): Promise<void>;
  /** The store's clock: what its records are dated with. */
  nowMs(): number;
  readonly sessions: Sessions;
  readonly outbox: Outbox;
  readonly tokens: Tokens;
  readonly agents: AgentSessions;
  readonly policy: Policies;
  readonly schedules: Schedules;
  readonly pauses: Pauses;
  readonly transfer: Transfer;
  readonly retention: Retention;
  readonly upkeep: Upkeep;
  /** Waits for what is under way; later calls are faults. */
  close(): Promise<void>;
}

/** A caller names a record by its id or brings it along. */
export type Target = HandoffId | Handoff;

export function idOf(target: Target): HandoffId {
  return typeof target === 'string' ? target : target.id;
}

/** How often a stale decision is taken again before the call fails. */
export const ROUNDS_MAX = 16;
/** One claim never holds the write lock for longer than a sender may wait for it. */
export const CLAIM_MAX = 200;
export const POLL_MS = 250;

export interface Opening {
  readonly id: HandoffId;
  readonly dependsOn: readonly HandoffId[];
  readonly body: JsonText;
  readonly decide: DecideFirst;
  /** The id is fresh and random, so the store need not check whether it exists. */
  readonly unheardOf?: true;
  /** Who gets it. A store may wake their workers in this process at once, so that a claim shares its commit. */
  readonly to?: AgentId;
}

export interface Relayed {
  readonly changed: Handoff;
  readonly inserted: readonly Handoff[];
}

export interface Guard {
  /** Kept for `REQUEST_DAYS`; the same key of the same principal with another body is refused. */
  readonly request?: RequestKey;
  /** What others have begun already comes in whether there is room for it or not, and counts. Only for `insert`. */
  readonly overLimits?: true;
}

export interface RequestKey {
  readonly by: string;
  readonly key: string;
  readonly hash: string;
  /** Another key under which `find` knows the same request. */
  readonly also?: string;
  /** Kept for as long as the database: what is read from a file can be read again after years. */
  readonly forEver?: true;
}

export function keysOf({ key, also }: RequestKey): readonly string[] {
  return also === undefined || also === key ? [key] : [key, also];
}

export const REQUEST_DAYS = 7;
export const REQUEST_MS = REQUEST_DAYS * 24 * 60 * 60_000;

export interface Claimed {
  readonly handoff: Handoff;
  readonly body: JsonText;
}

export interface Whole {
  readonly handoff: Handoff;
  readonly body: JsonText;
  readonly outcome: JsonText | null;
}

export type Topic = { readonly kind: 'offers'; readonly agent: AgentId } | { readonly kind: 'settled' };

/** A command that a worker runs: ended before its handoff is offered again. */
export interface RunningGroup {
  readonly handoff: HandoffId;
  readonly group: number;
  readonly startedAt: string;
}

export interface SessionRecord {
  readonly id: SessionId;
  readonly agent: AgentId;
  readonly process: ProcessIdentity;
  readonly groups: readonly RunningGroup[];
  /** For how long this session may be silent, as its own process said when it opened it. */
  readonly leaseMs: number;
  /** By the store's own measure, which no wall clock moves. */
  readonly silentForMs: number;
  readonly ended: boolean;
}

/** Worker sessions. Beats carry no revision and no fact, and need not survive a power cut: neither does the worker. */
export interface Sessions {
  open(session: Pick<SessionRecord, 'id' | 'agent' | 'process' | 'leaseMs'>): Promise<void>;
  /** False: the session has been ended by others; what it held is lost. */
  beat(id: SessionId): Promise<boolean>;
  running(id: SessionId, groups: readonly RunningGroup[]): Promise<void>;
  /** All that are not ended, and the ended ones that still hold something. */
  list(): Promise<readonly SessionRecord[]>;
  /** Ends it for good, but only if it has been silent for at least that long; true when it is ended now. */
  end(id: SessionId, silentForMs: number): Promise<boolean>;
  /** Takes out ended sessions that hold nothing any more. */
  forget(id: SessionId): Promise<void>;
}

/**
 * Effects that still have to happen, oldest first. Those of an inbox (`inboxKind`) are never due: they have happened
 * when they are written, and are done when they are read.
 */
export interface Outbox {
  due(max: number): Promise<readonly DueEffect[]>;
  done(keys: readonly string[]): Promise<void>;
  /**
   * Postpones a due effect for the process that is about to carry it out. False: it is not due any more, because another process
   * took it or has done it.
   */
  take(key: string, forMs: number): Promise<boolean>;
  /** Stores `tries` with it; without, the number stays. */
  later(key: string, inMs: number, tries?: number): Promise<void>;
  /** Gives up an effect that is not done. The reason is stored, and `again` can revive it. */
  drop(key: string, says: string): Promise<void>;
  /** What was given up, newest first. */
  dropped(max: number): Promise<readonly DroppedEffect[]>;
  /** What was given up is due again, as if it had never been tried. False: it was not given up. */
  again(key: string): Promise<boolean>;
  /** What an agent has not read yet. */
  inbox(agent: AgentId, max: number): Promise<readonly Effect[]>;
}

export interface DueEffect extends Effect {
  /** How often it was tried in vain; absent: never. */
  readonly tries?: number;
}

export interface DroppedEffect extends DueEffect {
  readonly droppedAt: number;
  /** Why it was given up. */
  readonly says: string;
}

/** What all processes that use this database agree on. Versions are added, and never changed or removed. */
export interface Policies {
  /** The newest version; null where none was stored yet. */
  current(): Promise<PolicyRecord | null>;
  /**
   * Adds the version after `expectedVersion` (0: the first one) and answers it. Null: `expectedVersion` is not the newest
   * one, and nothing was written.
   */
  put(policy: JsonText, expectedVersion: number, by: string): Promise<PolicyRecord | null>;
  /** Newest first. */
  history(max: number): Promise<readonly PolicyRecord[]>;
}

export interface PolicyRecord {
  /** From 1 on, without a gap. */
  readonly version: number;
  readonly policy: JsonText;
  /** The principal that stored it. */
  readonly by: string;
  readonly at: number;
}

/** Records as they are, from one database to another. */
export interface Transfer {
  /** In an order that does not change while others write; `after` is the `next` of the page before. */
  copies(after: string | null, max: number): Promise<CopiesPage>;
  /**
   * All in one transaction, exactly as they are, facts included; limits do not apply. A known id with the same trail is
   * `same`, with another one `different`: neither is written. A session that held one by process is an ended session here.
   */
  restore(copies: readonly Copy[]): Promise<readonly ('added' | 'same' | 'different')[]>;
  /**
   * How many of these, from the first on, come after the cursor in this very order with nothing between them, and are
   * or once were as told. `next` is the cursor of `copies` after the last of those.
   */
  recognise(
    after: string | null,
    heads: readonly Head[],
  ): Promise<{ readonly known: number; readonly next: string | null }>;
}

export interface CopiesPage {
  readonly items: readonly Copy[];
  readonly next: string | null;
  /** What is in the database and cannot be copied. */
  readonly damaged: readonly DamagedRecord[];
}

export interface DamagedRecord {
  readonly id: string;
  readonly says: string;
}

/** A handoff at one revision, identified by the hash of its last fact. */
export type Head = Pick<Handoff, 'id' | 'revision' | 'trail'>;

export interface Copy extends Whole {
  /** From revision 1, all of them. */
  readonly facts: readonly Fact[];
}

/**
 * How finished handoffs leave a database. They are read first, so that they can be written to an archive; what is removed
 * afterwards is exactly what was read, or it stays. For each a tombstone stays, which says where it went.
 */
export interface Retention {
  /**
   * Looks at `max` records after the cursor and answers those that can go. A handoff can go when all of its chain are
   * final since before that instant, and nothing that is open depends on one of them. Documents stay: git has their texts. So
   * may the newest handoff of all, from which the numbers of others go on.
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

/** Something in the database that cannot be. */
export interface Finding {
  readonly what: string;
  readonly handoff: HandoffId | null;
  readonly says: string;
}

export interface DutyHolder {
  readonly process: ProcessIdentity;
  readonly silentForMs: number;
}

/** What one process in each place (machine, boot and space of process ids) does for all. */
export interface Upkeep {
  /** The duty holder in the place of this process; null: there is none. */
  dutyHolder(process: ProcessIdentity): Promise<DutyHolder | null>;
  /** Takes or keeps the duty; `instead` is the holder that was judged gone. False: another process was faster. */
  takeDuty(process: ProcessIdentity, instead: DutyHolder | null): Promise<boolean>;
  leaveDuty(process: ProcessIdentity): Promise<void>;
  /**
   * Compares the store's wall clock with a monotonic clock, and stores the reading. Every process calls this before it ends
   * leases: a process that has just started could not know otherwise that the clock was set.
   */
  lookAtClock(own: Omit<ClockReading, 'wallMs'>): Promise<ClockLook>;
  /** Housekeeping of the database itself; cheap when there is nothing to do. */
  tend(): Promise<void>;
  /** Looks for what cannot be: counters, heads of trails, files. May take as long as reading everything; writes nothing. */
  audit(): Promise<readonly Finding[]>;
  /** Open transactions that keep facts back from the feed now, oldest first. Empty where writers take turns. */
  feedHolders(): Promise<readonly FeedHolder[]>;
}

/** A transaction that may still add facts before some that are there already. */
export interface FeedHolder {
  /** Its number in the database, the same as long as it is open. */
  readonly transaction: string;
  /** The server's process that runs it; null for a prepared transaction. */
  readonly pid: number | null;
  readonly application: string | null;
  /** The name under which it was prepared (`prepare transaction '…'`); null for all others. */
  readonly preparedAs: string | null;
  readonly database: string;
  /** Null where the role may not see it. */
  readonly openForMs: number | null;
}
