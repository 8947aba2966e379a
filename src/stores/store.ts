/**
 * The contract with a database. A store opens a transaction, passes the newest record to a pure decision, and writes the
 * result with its facts; it decides nothing itself. Only `insert`, `claim`, `change` and `relay` write handoffs.
 *
 * Acknowledged means durable: what these promises resolve to survives a power cut. A refusal changed nothing. A thrown
 * `StoreFault` with `outcome: 'unknown'` may or may not have changed something; with `'unchanged'` it has not.
 */
export { BadCursor, StoreFault, StoreGone } from '../foundation/store-fault.ts';
export { laterCursor } from './query.ts';
export type { FactFilter, FactQuery, FactRead, Page, Query, StateCounts, HandoffFilter } from './query.ts';
export type { ProcessIdentity } from '../foundation/process-identity.ts';
import type { ClockObservation, ClockReading } from '../foundation/clock.ts';
import type { JsonText } from '../foundation/json.ts';
import type { ProcessIdentity } from '../foundation/process-identity.ts';
import type { Result } from '../foundation/result.ts';
import type { Decide, DecideFirst, Effect } from '../domain/decision.ts';
import type { Fact } from '../domain/facts.ts';
import type { Handoff } from '../domain/handoff.ts';
import type { AgentId, HandoffId, SessionId } from '../domain/names.ts';
import type { Refusal } from '../domain/refusals.ts';
import type { FactQuery, FactRead, Page, Query, StateCounts, HandoffFilter } from './query.ts';
import type { AgentSessions } from './agent-session-store.ts';
import type { Pauses } from './pause-store.ts';
import type { Schedules } from './schedule-store.ts';
import type { Tokens } from './token-store.ts';

export type { AgentSessions } from './agent-session-store.ts';
export type { PauseRecord } from './pause-store.ts';
export type { ScheduleRecord } from './schedule-store.ts';
export type { Minting, TokenLogLine, TokenRecord, Tokens, UsedToken } from './token-store.ts';

export interface Store {
  /** All or none. Refuses above a limit, for a known id, and for a dependency cycle. The same request returns the same records. */
  insert(newHandoffs: readonly NewHandoff[], guard?: Guard): Promise<Result<readonly Handoff[], Refusal>>;
  /** Takes up to `max` ready handoffs for one agent, best rank first, in one short transaction. None while the agent is paused. */
  claim(agent: AgentId, max: number, decide: Decide): Promise<readonly Claimed[]>;
  /**
   * Compare-and-swap on the revision: decides over the given record if it is still the newest, and writes record, facts
   * and outbox together. A stale decision is taken again, at most `ROUNDS_MAX` times. One answer per target, in order.
   */
  change(targets: readonly Target[], decide: Decide): Promise<readonly Result<Handoff, Refusal>[]>;
  /**
   * One change and the handoffs that follow from it, all or none: first the target as in `change`, then the new handoffs
   * as in `insert`, which see the target after its change. The same request returns the same records.
   */
  relay(
    target: Target,
    decide: Decide,
    newHandoffs: readonly NewHandoff[],
    guard?: Guard,
  ): Promise<Result<Relayed, Refusal>>;
  /** Throws when the body is missing. With `settled` it returns null until the handoff is settled, at lower cost. */
  load(id: HandoffId, when?: 'settled'): Promise<StoredHandoff | null>;
  /** Throws `BadCursor` for an `after` that no store can have returned; `facts` does too. */
  find(query: Query): Promise<Page>;
  /** The number of handoffs in all pages of a list. May take as long as reading all of them. */
  count(wanted: HandoffFilter): Promise<StateCounts>;
  /** Nothing is ever inserted before what was already read, so a cursor skips nothing. */
  facts(query: FactQuery): Promise<readonly FactRead[]>;
  /**
   * Resolves when something of the topic may have changed: a hint. Stores also poll, so a lost notification costs at most
   * `POLL_MS` and never the answer. Call this first, then read, then wait.
   */
  changed(topic: Topic, signal: AbortSignal): Promise<void>;
  /** The store's clock, which dates its records. */
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
  /** Waits for calls in progress. Later calls throw. */
  close(): Promise<void>;
}

/** A handoff by its id, or the record that the caller has read. */
export type Target = HandoffId | Handoff;

export function idOf(target: Target): HandoffId {
  return typeof target === 'string' ? target : target.id;
}

/** How often a stale decision is retried before the call fails. */
export const ROUNDS_MAX = 16;
/** Limits how long one claim holds the write lock: senders wait for it. */
export const CLAIM_MAX = 200;
export const POLL_MS = 250;

export interface NewHandoff {
  readonly id: HandoffId;
  readonly dependsOn: readonly HandoffId[];
  readonly body: JsonText;
  readonly decide: DecideFirst;
  /** The id is fresh and random, so the store need not check whether it exists. */
  readonly isNewId?: true;
  /** The recipient. A store may wake its workers in this process before the commit, so that their claim shares it. */
  readonly to?: AgentId;
}

export interface Relayed {
  readonly changed: Handoff;
  readonly inserted: readonly Handoff[];
}

export interface Guard {
  /** Stored for `REQUEST_DAYS`. The same key of the same principal with another content is refused. */
  readonly request?: RequestKey;
  /** Limits do not apply, because others have begun the work already; the handoffs still count. Only for `insert`. */
  readonly overLimits?: true;
}

export interface RequestKey {
  readonly by: string;
  readonly key: string;
  readonly hash: string;
  /** Another key under which `find` finds the request. */
  readonly also?: string;
  /** Stored for as long as the database: a file can be ingested again after years. */
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

export interface StoredHandoff {
  readonly handoff: Handoff;
  readonly body: JsonText;
  readonly outcome: JsonText | null;
}

export type Topic = { readonly kind: 'offers'; readonly agent: AgentId } | { readonly kind: 'settled' };

/** The process group of a command that a worker runs. It is ended before its handoff is offered again. */
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
  /** For how long this session may be silent, as given when it was opened. */
  readonly leaseMs: number;
  /** Measured by the store, independent of wall clocks. */
  readonly silentForMs: number;
  readonly ended: boolean;
}

/** Worker sessions. A heartbeat writes no revision and no fact, and need not survive a power cut: no worker does. */
export interface Sessions {
  open(session: Pick<SessionRecord, 'id' | 'agent' | 'process' | 'leaseMs'>): Promise<void>;
  /** False: another process has ended the session; what it held is lost. */
  beat(id: SessionId): Promise<boolean>;
  running(id: SessionId, groups: readonly RunningGroup[]): Promise<void>;
  /** Sessions that have not ended, and ended ones that still hold a handoff. */
  list(): Promise<readonly SessionRecord[]>;
  /** Ends the session if it has been silent for at least that long. True: it has ended, by this call or before. */
  end(id: SessionId, silentForMs: number): Promise<boolean>;
  /** Deletes an ended session that holds nothing. */
  forget(id: SessionId): Promise<void>;
}

/**
 * Effects that still have to be carried out, oldest first. Inbox entries (`inboxKind`) are never due: they are delivered
 * when they are written, and done when they are read.
 */
export interface Outbox {
  due(max: number): Promise<readonly DueEffect[]>;
  done(keys: readonly string[]): Promise<void>;
  /**
   * Postpones a due effect for the process that is about to carry it out. False: the effect is not due any more, because
   * another process took it or has carried it out.
   */
  take(key: string, forMs: number): Promise<boolean>;
  /** Stores `tries` with the effect; absent: the number stays. */
  postpone(key: string, inMs: number, tries?: number): Promise<void>;
  /** Gives up an effect that is not done, and stores the reason. `requeue` makes the effect due again. */
  drop(key: string, says: string): Promise<void>;
  /** Effects that were given up, newest first. */
  dropped(max: number): Promise<readonly DroppedEffect[]>;
  /** Makes a given-up effect due again, with no tries. False: it was not given up. */
  requeue(key: string): Promise<boolean>;
  /** The inbox entries that an agent has not read yet. */
  inbox(agent: AgentId, max: number): Promise<readonly Effect[]>;
}

export interface DueEffect extends Effect {
  /** Failed tries. Absent: none. */
  readonly tries?: number;
}

export interface DroppedEffect extends DueEffect {
  readonly droppedAt: number;
  /** Why it was given up. */
  readonly says: string;
}

/** The policy that all processes of this database share. Versions are added, never changed or removed. */
export interface Policies {
  /** The newest version. Null: none was stored yet. */
  current(): Promise<PolicyRecord | null>;
  /**
   * Adds the version after `expectedVersion` (0: the first) and returns it. Null: `expectedVersion` is not the newest;
   * nothing was written.
   */
  put(policy: JsonText, expectedVersion: number, by: string): Promise<PolicyRecord | null>;
  /** Newest first. */
  history(max: number): Promise<readonly PolicyRecord[]>;
}

export interface PolicyRecord {
  /** From 1, without gaps. */
  readonly version: number;
  readonly policy: JsonText;
  /** The principal that stored it. */
  readonly by: string;
  readonly at: number;
}

/** Copies records unchanged from one database to another. */
export interface Transfer {
  /** In an order that does not change while others write. `after` is the `next` of the previous page. */
  copies(after: string | null, max: number): Promise<CopiesPage>;
  /**
   * Writes all copies unchanged in one transaction, with their facts; limits do not apply. A known id with the same trail
   * is `same`, with another trail `different`: neither is written. A session that held one is stored as ended.
   */
  restore(copies: readonly Copy[]): Promise<readonly ('added' | 'same' | 'different')[]>;
  /**
   * How many of the heads, from the first, follow the cursor in this order without a gap, and match the record at that
   * revision. `next` is the cursor of `copies` after the last of them.
   */
  recognize(
    after: string | null,
    heads: readonly Head[],
  ): Promise<{ readonly known: number; readonly next: string | null }>;
}

export interface CopiesPage {
  readonly items: readonly Copy[];
  readonly next: string | null;
  /** Records that cannot be copied. */
  readonly damaged: readonly DamagedRecord[];
}

export interface DamagedRecord {
  readonly id: string;
  readonly says: string;
}

/** A handoff at one revision, identified by the hash of its last fact. */
export type Head = Pick<Handoff, 'id' | 'revision' | 'trail'>;

export interface Copy extends StoredHandoff {
  /** All facts, from revision 1. */
  readonly facts: readonly Fact[];
}

/**
 * Removes finished handoffs from the database. They are read first and written to an archive; a handoff that has changed
 * since it was read stays. A tombstone of each removed handoff names its archive.
 */
export interface Retention {
  /**
   * Reads `max` records after the cursor and returns those that can be removed: all of the chain was settled before that
   * instant, and nothing open depends on it. Documents stay, because git has their texts. The newest handoff may stay,
   * because the numbers of later ones continue from it.
   */
  removable(settledBefore: number, after: string | null, max: number): Promise<CopiesPage>;
  /**
   * Removes in one transaction those that match their head and that nothing needs, with all that belongs to them. One
   * answer for each, in order.
   */
  remove(heads: readonly Head[], archive: string): Promise<readonly Removal[]>;
  /** Tombstones of the ids that were removed and not imported again. */
  removed(ids: readonly HandoffId[]): Promise<readonly RemovedHandoff[]>;
}

/**
 * `removed`: it is in that archive, perhaps since an earlier call. `elsewhere`: it is not here, and not in that archive.
 * `changed`: it does not match its head. `needed`: something open needs it, or it is the newest handoff.
 */
export type Removal = 'removed' | 'elsewhere' | 'changed' | 'needed';

/** Limits how long one call holds the write lock: claims wait for it. */
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

/** An impossible state in the database. */
export interface Finding {
  readonly what: string;
  readonly handoff: HandoffId | null;
  readonly says: string;
}

export interface DutyHolder {
  readonly process: ProcessIdentity;
  readonly silentForMs: number;
}

/** The duty, which one process per place (machine, boot and process-id space) has, and the upkeep it does. */
export interface Upkeep {
  /** The duty holder in the place of this process. Null: there is none. */
  dutyHolder(process: ProcessIdentity): Promise<DutyHolder | null>;
  /** Takes or keeps the duty. `instead` is the holder that was found gone. False: another process was faster. */
  takeDuty(process: ProcessIdentity, instead: DutyHolder | null): Promise<boolean>;
  leaveDuty(process: ProcessIdentity): Promise<void>;
  /**
   * Compares the store's wall clock with a monotonic clock, and stores the reading. Every process calls this before it
   * ends leases: only the stored reading tells a process that has just started that the clock was set.
   */
  checkClock(own: Omit<ClockReading, 'wallMs'>): Promise<ClockObservation>;
  /** Maintains the database itself. Cheap when there is nothing to do. */
  maintain(): Promise<void>;
  /** Looks for impossible states: counters, heads of trails, files. Writes nothing. May take as long as reading everything. */
  audit(): Promise<readonly Finding[]>;
  /** Open transactions that hold back facts from the feed, oldest first. Empty where writers take turns. */
  feedHolders(): Promise<readonly FeedHolder[]>;
}

/** A transaction that may still add facts before existing ones. */
export interface FeedHolder {
  /** Its number in the database, which does not change while it is open. */
  readonly transaction: string;
  /** The server process that runs it. Null: a prepared transaction. */
  readonly pid: number | null;
  readonly application: string | null;
  /** The name under which it was prepared (`prepare transaction '…'`). Null: not prepared. */
  readonly preparedAs: string | null;
  readonly database: string;
  /** Null: the role may not see it. */
  readonly openForMs: number | null;
}
