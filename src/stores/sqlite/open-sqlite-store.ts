/** The embedded store: one file, several processes, nothing to install. */
import { messageOf } from '../../foundation/error-message.ts';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { elapsedMs, systemTimers, type Clock, type Timers } from '../../foundation/clock.ts';
import type { Random } from '../../foundation/random.ts';
import type { Limits } from '../../domain/limits.ts';
import type { AgentId } from '../../domain/names.ts';
import { REQUEST_DAYS, StoreFault, StoreGone, type Opening, type ProcessIdentity, type Store } from '../store.ts';
import { agentSessionsOf } from './agent-sessions.ts';
import { notifyFilesIn } from './notify-files.ts';
import {
  diskTrouble,
  isFromDatabase,
  lockWaitOf,
  openDatabase,
  withLockRetry,
  prepare,
  type Database,
} from './binding.ts';
import { changeOf } from './change.ts';
import { checkpoint } from './checkpoint.ts';
import { claimOf } from './claim.ts';
import { ensureDatabaseFile } from './database-file.ts';
import { hintsOf } from './wake-waiters.ts';
import { insertOf } from './insert.ts';
import { liveSessionsOf } from './live-sessions.ts';
import { lockMonitor, type LockMonitor } from './lock-monitor.ts';
import { rowNumbersOf } from './row-numbers.ts';
import { outboxOf } from './outbox.ts';
import { limitCountersOf } from './limits.ts';
import { pausesOf } from './pauses.ts';
import { policiesOf } from './policies.ts';
import { queriesOf } from './queries.ts';
import { openToRead, type Opened } from './read-only.ts';
import { relayOf } from './relay.ts';
import { retentionOf } from './retention.ts';
import { schedulesOf } from './schedules.ts';
import { SCHEMA_VERSION, schemaSince } from './schema.ts';
import { dutyOf, processesWith, sessionsOf, type Quiet } from './sessions.ts';
import { sharedCommit, whenFree, wrongVersion } from './shared-commit.ts';
import { sharedRead } from './shared-read.ts';
import { tokensOf } from './tokens.ts';
import { wordIndexOf } from './text-index.ts';
import { copiesOf, recogniseOf, restoreOf } from './transfer.ts';
import { rowWriterOf } from './write-rows.ts';

export interface SqliteOptions {
  readonly path: string;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly random: Random;
  /** This machine's present start; leases of another one are over. */
  readonly boot: string;
  readonly timers?: Timers;
  /** Whether a process that the database names is this machine's and alive; without it, no other process is touched. */
  readonly isAlive?: (process: ProcessIdentity) => boolean;
  /** Whether a database that cannot be written is opened for reading; `says` is told why. Without it, that is a fault. */
  readonly readOnly?: (says: string) => void;
  /** Told why, when the lock of the database has been waited for. */
  readonly waiting?: (says: string) => void;
}

/** A glance at the file costs as much as reading a record, and many may look in one moment. */
const LATELY_MS = 10;
/** For writers: those who look, find something and take it have just seen the file. */
const JUST_NOW_MS = 1;
/** No commit counter is ever this. */
const GONE = -1;
const DAY_MS = 24 * 60 * 60_000;
/** Old request keys go a few at a time, so that no transaction is long. */
const FORGET_MAX = 500;
const UNFOUND = '; a search by text does not find the newest handoffs';

export function openSqliteStore(options: SqliteOptions): Store {
  const { path, limits, clock, random, boot, timers = systemTimers } = options;
  ensureDatabaseFile(path);
  const { isAlive = () => false, waiting = () => undefined } = options;
  const isOurs = (pid: number): boolean => processesWith(database, pid).some(isAlive);
  const monitor = lockMonitor({ path, told: waiting, isOurs });
  const { database, readOnly } = openChecked(path, {
    refused: monitor.refused,
    isReading: options.readOnly !== undefined,
  });
  const ctx = { timers, random, path, monitor };
  const lockWait = lockWaitOf(database);
  const nowMs = (): number => clock.nowMs();
  const names = rowNumbersOf(database);
  const reading = queriesOf(database, names);
  const places = limitCountersOf(database, names, limits);
  const writing = rowWriterOf(database, names, places);
  const sessions = liveSessionsOf(database);
  const claim = claimOf(database, { names, writing, sessions, nowMs });
  const retention = retentionOf(database, { names, writing, nowMs });
  const inserting = insertOf(database, { reading, writing, places, removed: retention.removed, nowMs });
  const changing = { reading, writing, places, sessions, nowMs };
  const change = changeOf(changing);
  const relay = relayOf(changing, inserting);
  const copies = copiesOf(database, names);
  const recognise = recogniseOf(database);
  const restore = restoreOf(database, { names, writing, nowMs });
  const identity = fileIdentity(path);
  const version = prepare(database, 'PRAGMA data_version');
  const hints = hintsOf(notifyFilesIn(join(dirname(path), 'bells')), {
    // Whoever waits is woken to find out that there is nothing to wait for any more.
    version: () => {
      lockWait.usually();
      return isStillThere() ? (version.get()?.[0] as number) : GONE;
    },
    ripe: (agent) => claim.anything(agent) !== 'nothing',
  });
  // A database that was deleted under us would go on taking writes that nobody will ever see.
  const isStillThere = (): boolean => fileIdentity(path) === identity;
  let seenThereMs = Number.NEGATIVE_INFINITY;
  const stillThereLately = (latelyMs: number): void => {
    if (elapsedMs() - seenThereMs > latelyMs) stillThere();
  };
  const stillThere = (): void => {
    seenThereMs = elapsedMs();
    if (isStillThere()) return;
    seenThereMs = Number.NEGATIVE_INFINITY;
    throw new StoreGone(
      `${path} was removed or replaced while in use; look at what happened before going on`,
      'unchanged',
    );
  };
  const commit = sharedCommit(database, ctx, lockWait, {
    begun: () => {
      stillThereLately(JUST_NOW_MS);
      sessions.begin();
      writing.begin();
    },
    flush: () => places.flush(),
    committed: () => {
      hints.tell(writing.news);
      forgetNews();
    },
    rolledBack: () => {
      names.forget();
      places.forget();
      forgetNews();
    },
  });
  const forgetNews = (): void => {
    writing.news.offeredTo.clear();
    writing.news.settled = false;
  };

  let quietConnection: Database | null = null;
  const openQuiet = (): Database => {
    alive();
    stillThere();
    if (readOnly !== null) return database;
    quietConnection ??= openDatabase(path, { sync: 'normal' });
    return quietConnection;
  };
  const quiet: Quiet = {
    write: async (act) => {
      const connection = openQuiet();
      return whenFree((waitedMs) => immediately(connection, act, monitor, waitedMs), ctx).catch(rethrow);
    },
    read: async (act) => reader(() => act(openQuiet())),
  };

  /** Recipients of what was handed in and is not committed yet, each as often as it was. */
  const coming = new Map<AgentId, number>();
  const count = (agent: AgentId, change: 1 | -1): void => {
    const left = (coming.get(agent) ?? 0) + change;
    if (left === 0) coming.delete(agent);
    else coming.set(agent, left);
  };
  /** A worker of this process is woken at once: its claim is handed in behind what it claims, and they share a commit. */
  const announced = async <Answer>(openings: readonly Opening[], inserted: Promise<Answer>): Promise<Answer> => {
    const agents = openings.flatMap(({ to }) => to ?? []);
    for (const agent of agents) count(agent, 1);
    for (const agent of new Set(agents)) hints.announce(agent);
    try {
      return await inserted;
    } finally {
      for (const agent of agents) count(agent, -1);
    }
  };

  let closed = false;
  const alive = (): void => {
    if (closed) throw new StoreFault('the store is closed', 'unchanged');
  };
  const rethrow = (error: unknown): never => {
    throw faultOf(error, path);
  };
  const look = sharedRead(database, lockWait, () => {
    alive();
    stillThereLately(LATELY_MS);
  });
  const reader = <Answer>(read: () => Answer): Promise<Answer> => look(read).catch(rethrow);
  const forgetRequests = prepare(
    database,
    'DELETE FROM request WHERE (by, key) IN (SELECT by, key FROM request WHERE at < ? LIMIT ?)',
  );

  /** For those who read without company. */
  const aliveAndPatient = (): void => {
    alive();
    lockWait.usually();
  };
  const words = wordIndexOf(database, { commit, alive: aliveAndPatient });
  if (readOnly !== null) options.readOnly?.(`${readOnly}${words.isBehind() ? UNFOUND : ''}`);

  return {
    insert: async (openings, guard = {}) => {
      alive();
      return announced(openings, commit.run(inserting.insert(openings, guard)));
    },
    claim: async (agent, max, decide) => {
      alive();
      stillThereLately(LATELY_MS);
      const seen = max < 1 ? 'nothing' : claim.anything(agent);
      if (seen === 'nothing' && (max < 1 || !coming.has(agent))) return [];
      return commit.run(claim.work(agent, max, decide, seen === 'ripe'));
    },
    change: async (targets, decide) => {
      alive();
      return commit.run(change(targets, decide));
    },
    relay: async (target, decide, openings, guard = {}) => {
      alive();
      return commit.run(relay(target, decide, openings, guard));
    },
    load: (id, when) => reader(() => (when === 'settled' ? reading.settled(id) : reading.whole(id))),
    find: async (query) => {
      if (query.by === 'filter' && query.text !== undefined && readOnly === null) await words.catchUp();
      return reader(() => reading.find(query, nowMs()));
    },
    count: async (wanted) => {
      if (wanted.text !== undefined && readOnly === null) await words.catchUp();
      return reader(() => reading.count(wanted));
    },
    facts: (query) => reader(() => reading.facts(query)),
    changed: (topic, signal) => hints.changed(topic, signal),
    nowMs,
    sessions: sessionsOf(quiet, clock, boot),
    outbox: outboxOf(database, { commit, alive: aliveAndPatient, nowMs }),
    tokens: tokensOf(database, { commit, nowMs, alive, reader }),
    agents: agentSessionsOf(database, { commit, alive, reader }),
    pauses: pausesOf(database, { commit, nowMs, alive, reader }),
    policy: policiesOf(database, { commit, nowMs, alive, reader }),
    schedules: schedulesOf(database, { commit, nowMs, alive, reader }),
    transfer: {
      copies: (after, max) => reader(() => copies(after, max)),
      restore: async (given) => {
        alive();
        return commit.run(restore(given));
      },
      recognise: (after, heads) => reader(() => recognise(after, heads)),
    },
    retention: {
      removable: (...query) => reader(() => retention.removable(...query)),
      remove: async (heads, archive) => {
        alive();
        return commit.run(retention.remove(heads, archive));
      },
      removed: (ids) => reader(() => retention.removed(ids)),
    },
    upkeep: {
      ...dutyOf(quiet, clock, boot),
      audit: async () => {
        const { audit } = await import('./audit.ts');
        return reader(() => audit(path));
      },
      feedHolders: () => Promise.resolve([]),
      tend: async () => {
        aliveAndPatient();
        await checkpoint(database, path, { ...ctx, lockWait });
        if (closed) return;
        await words.feed();
        if (closed) return;
        const before = nowMs() - REQUEST_DAYS * DAY_MS;
        if (prepare(database, 'SELECT 1 FROM request WHERE at < ? LIMIT 1').get(before) === undefined) return;
        await commit.run(() => () => {
          forgetRequests.run(before, FORGET_MAX);
        });
      },
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await commit.idle();
      hints.close();
      quietConnection?.close();
      database.close();
    },
  };
}

function openChecked(
  path: string,
  { refused, isReading }: { readonly refused: (waitedMs: number) => void; readonly isReading: boolean },
): Opened {
  try {
    const how = { sync: 'full', refused } as const;
    const opened = isReading ? openToRead(path, how) : { database: openDatabase(path, how), readOnly: null };
    const { database } = opened;
    const found = Number(prepare(database, 'PRAGMA user_version').get()?.[0]);
    if (found < SCHEMA_VERSION) withLockRetry(database, () => immediately(database, bringUpToDate), refused);
    else if (found > SCHEMA_VERSION) {
      database.close();
      throw wrongVersion(path, found);
    }
    return opened;
  } catch (error) {
    throw faultOf(error, path);
  }
}

/** Under the write lock the version is read again: another process may have been faster. */
function bringUpToDate(database: Database): void {
  const found = Number(prepare(database, 'PRAGMA user_version').get()?.[0]);
  if (found < SCHEMA_VERSION) database.exec(schemaSince(found));
}

function immediately<Answer>(
  database: Database,
  act: (database: Database, waitedMs: number) => Answer,
  monitor: LockMonitor | null = null,
  waitedMs: number = 0,
): Answer {
  database.exec('BEGIN IMMEDIATE');
  monitor?.acquired();
  try {
    const answer = act(database, waitedMs);
    database.exec('COMMIT');
    return answer;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function faultOf(error: unknown, path: string): unknown {
  if (error instanceof StoreFault || !isFromDatabase(error)) return error;
  const says = diskTrouble(error) ?? messageOf(error);
  return new StoreFault(`${path}: ${says}`, 'unchanged', { cause: error });
}

function fileIdentity(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 'gone' : `${stat.dev}:${stat.ino}`;
}
