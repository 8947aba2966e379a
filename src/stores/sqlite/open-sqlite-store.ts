/** The embedded store: one file, several processes, nothing to install. */
import { messageOf } from '../../foundation/error-message.ts';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { elapsedMs, systemTimers, type Clock, type Timers } from '../../foundation/clock.ts';
import type { Random } from '../../foundation/random.ts';
import type { Limits } from '../../domain/limits.ts';
import type { AgentId } from '../../domain/names.ts';
import { REQUEST_MS, StoreFault, StoreGone, type Opening, type ProcessIdentity, type Store } from '../store.ts';
import { agentSessionsOf } from './agent-sessions.ts';
import { notifyFilesIn } from './notify-files.ts';
import {
  diskTrouble,
  isFromDatabase,
  lockWaitOf,
  openDatabase,
  prepare,
  sqlOn,
  withLockRetry,
  type Database,
} from './binding.ts';
import { changeOf, type HandoffParts } from './change.ts';
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
import { sharedCommit, whenFree, wrongVersion, type Work } from './shared-commit.ts';
import { sharedRead } from './shared-read.ts';
import { tokensOf } from './tokens.ts';
import { wordIndexOf } from './text-index.ts';
import { transferOf } from './transfer.ts';
import { rowWriterOf } from './write-rows.ts';

export interface SqliteOptions {
  readonly path: string;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly random: Random;
  /** The present boot of this machine; leases of another boot are over. */
  readonly boot: string;
  readonly timers?: Timers;
  /** Whether a process in the database runs on this machine now. Without it, no other process gets a signal. */
  readonly isAlive?: (process: ProcessIdentity) => boolean;
  /** Opens a database that cannot be written for reading, and is told why. Without it, that is a fault. */
  readonly readOnly?: (says: string) => void;
  /** Told who holds the lock of the database, while an operation waits for it. */
  readonly waiting?: (says: string) => void;
}

/** Looking at the file costs as much as reading a record, and many callers may read in one moment. */
const LATELY_MS = 10;
/** For writers: a worker that finds something and claims it has just looked at the file. */
const JUST_NOW_MS = 1;
/** No commit counter is ever this. */
const GONE = -1;
/** Old request keys go a few at a time, so that no transaction is long. */
const FORGET_MAX = 500;
const UNFOUND = '; a search by text does not find the newest handoffs';

export function openSqliteStore(options: SqliteOptions): Store {
  const { path, limits, clock, random, boot, timers = systemTimers } = options;
  ensureDatabaseFile(path);
  const { isAlive = () => false, waiting = () => undefined } = options;
  let opened: Opened | null = null;
  // Sessions of an older version are not read: until the database is up to date, a stopped process is only named.
  const isOurs = (pid: number): boolean => opened !== null && processesWith(opened.database, pid).some(isAlive);
  const monitor = lockMonitor({ path, told: waiting, isOurs });
  opened = openChecked(path, { refused: monitor.refused, isReading: options.readOnly !== undefined });
  const { database, readOnly } = opened;
  const ctx = { timers, random, path, monitor };
  const sql = sqlOn(database);
  const lockWait = lockWaitOf(database);
  const nowMs = (): number => clock.nowMs();
  const names = rowNumbersOf(sql);
  const reading = queriesOf(sql, names);
  const places = limitCountersOf(sql, names, limits);
  const writing = rowWriterOf(sql, names, places);
  const sessions = liveSessionsOf(sql);

  let closed = false;
  const alive = (): void => {
    if (closed) throw new StoreFault('the store is closed', 'unchanged');
  };
  const rethrow = (error: unknown): never => {
    throw faultOf(error, path);
  };
  // A database that was deleted under us would take writes that are lost.
  const identity = fileIdentity(path);
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

  const forgetNews = (): void => {
    writing.news.offeredTo.clear();
    writing.news.settled = false;
  };
  const shared = sharedCommit(database, ctx, lockWait, {
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
  const commit = async <Answer>(work: Work<Answer>): Promise<Answer> => {
    alive();
    return shared.run(work);
  };
  const write = <Answer>(act: () => Answer): Promise<Answer> => commit(() => act);
  const look = sharedRead(database, lockWait, () => {
    alive();
    stillThereLately(LATELY_MS);
  });
  const read = <Answer>(act: () => Answer): Promise<Answer> => look(act).catch(rethrow);

  const parts: HandoffParts = { sql, nowMs, read, commit, write, names, reading, sessions, writing, places };
  const claim = claimOf(parts);
  const inserting = insertOf(parts);
  const change = changeOf(parts);
  const relay = relayOf(parts, inserting);
  const version = sql('PRAGMA data_version');
  const hints = hintsOf(notifyFilesIn(join(dirname(path), 'bells')), {
    // A waiter is woken when the file is gone, so that it finds out.
    version: () => {
      lockWait.usually();
      return isStillThere() ? (version.get()?.[0] as number) : GONE;
    },
    ripe: (agent) => claim.anything(agent) !== 'nothing',
  });

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
    read: async (act) => read(() => act(openQuiet())),
  };

  /** Recipients of openings that are not committed yet, with how many each has. */
  const coming = new Map<AgentId, number>();
  const count = (agent: AgentId, change: 1 | -1): void => {
    const left = (coming.get(agent) ?? 0) + change;
    if (left === 0) coming.delete(agent);
    else coming.set(agent, left);
  };
  /** Wakes a worker of this process at once: its claim is queued behind the insert, and they share a commit. */
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

  const oldRequest = sql('SELECT 1 FROM request WHERE at < ? LIMIT 1');
  const forgetRequests = sql(
    'DELETE FROM request WHERE (by, key) IN (SELECT by, key FROM request WHERE at < ? LIMIT ?)',
  );
  /** For reads outside of a shared one. */
  const aliveAndPatient = (): void => {
    alive();
    lockWait.usually();
  };
  const words = wordIndexOf(parts, aliveAndPatient);
  const catchUp = async (text: string | undefined): Promise<void> => {
    if (text !== undefined && readOnly === null) await words.catchUp();
  };
  if (readOnly !== null) options.readOnly?.(`${readOnly}${words.isBehind() ? UNFOUND : ''}`);

  return {
    insert: async (openings, guard = {}) => {
      alive();
      return announced(openings, commit(inserting.insert(openings, guard)));
    },
    claim: async (agent, max, decide) => {
      alive();
      stillThereLately(LATELY_MS);
      const seen = max < 1 ? 'nothing' : claim.anything(agent);
      if (seen === 'nothing' && (max < 1 || !coming.has(agent))) return [];
      return commit(claim.work(agent, max, decide, seen === 'ripe'));
    },
    change: (targets, decide) => commit(change(targets, decide)),
    relay: (target, decide, openings, guard = {}) => commit(relay(target, decide, openings, guard)),
    load: (id, when) => read(() => (when === 'settled' ? reading.settled(id) : reading.whole(id))),
    find: async (query) => {
      if (query.by === 'filter') await catchUp(query.text);
      return read(() => reading.find(query, nowMs()));
    },
    count: async (wanted) => {
      await catchUp(wanted.text);
      return read(() => reading.count(wanted));
    },
    facts: (query) => read(() => reading.facts(query)),
    changed: (topic, signal) => hints.changed(topic, signal),
    nowMs,
    sessions: sessionsOf(quiet, clock, boot),
    outbox: outboxOf(parts),
    tokens: tokensOf(parts),
    agents: agentSessionsOf(parts),
    pauses: pausesOf(parts),
    policy: policiesOf(parts),
    schedules: schedulesOf(parts),
    transfer: transferOf(parts),
    retention: retentionOf(parts),
    upkeep: {
      ...dutyOf(quiet, clock, boot),
      audit: async () => {
        const { audit } = await import('./audit.ts');
        return read(() => audit(path));
      },
      feedHolders: () => Promise.resolve([]),
      tend: async () => {
        aliveAndPatient();
        await checkpoint(database, path, { ...ctx, lockWait });
        if (closed) return;
        await words.feed();
        if (closed) return;
        const before = nowMs() - REQUEST_MS;
        if (oldRequest.get(before) !== undefined) await write(() => void forgetRequests.run(before, FORGET_MAX));
      },
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await shared.idle();
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
