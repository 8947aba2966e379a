/** The embedded store: one file, several processes, nothing to install. */
import { messageOf } from '../../foundation/error-message.ts';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { elapsedMs, systemTimers, type Clock, type Timers } from '../../foundation/clock.ts';
import type { Random } from '../../foundation/random.ts';
import type { Limits } from '../../domain/limits.ts';
import type { AgentId } from '../../domain/names.ts';
import { REQUEST_MS, StoreFault, StoreGone, type NewHandoff, type ProcessIdentity, type Store } from '../store.ts';
import { agentSessionsOf } from './agent-sessions.ts';
import { notifyFilesIn } from './notify-files.ts';
import {
  diskErrorText,
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
import { changeNotifierOf } from './wake-waiters.ts';
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
import { dutyOf, processesWith, sessionsOf, type UnsyncedConnection } from './sessions.ts';
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
  /** The current boot of this machine. Leases of another boot have ended. */
  readonly boot: string;
  readonly timers?: Timers;
  /** Whether a process in the database runs on this machine. Absent: no other process gets a signal. */
  readonly isAlive?: (process: ProcessIdentity) => boolean;
  /** Opens an unwritable database for reading, and is called with the reason. Absent: that is a fault. */
  readonly readOnly?: (says: string) => void;
  /** Called with a message that names the lock holder, while an operation waits for the lock. */
  readonly waiting?: (says: string) => void;
}

/** For reads: checking the file costs as much as reading a record, and many callers may read at the same time. */
const READ_CHECK_MS = 10;
/** For writes: the probe before a claim has just checked the file. */
const WRITE_CHECK_MS = 1;
/** No commit counter is ever this. */
const GONE = -1;
/** Old request keys are deleted a few at a time, so that no transaction is long. */
const FORGET_MAX = 500;
const SEARCH_INCOMPLETE = '; a search by text does not find the newest handoffs';

export function openSqliteStore(options: SqliteOptions): Store {
  const { path, limits, clock, random, boot, timers = systemTimers } = options;
  ensureDatabaseFile(path);
  const { isAlive = () => false, waiting = () => undefined } = options;
  let opened: Opened | null = null;
  // Until the database is migrated, its sessions cannot be read, and a stopped process is only reported.
  const isOurs = (pid: number): boolean => opened !== null && processesWith(opened.database, pid).some(isAlive);
  const monitor = lockMonitor({ path, report: waiting, isOurs });
  opened = openChecked(path, { onLockWait: monitor.refused, isReading: options.readOnly !== undefined });
  const { database, readOnly } = opened;
  const ctx = { timers, random, path, monitor };
  const sql = sqlOn(database);
  const lockWait = lockWaitOf(database);
  const nowMs = (): number => clock.nowMs();
  const names = rowNumbersOf(sql);
  const reading = queriesOf(sql, names);
  const counters = limitCountersOf(sql, names, limits);
  const writing = rowWriterOf(sql, names, counters);
  const sessions = liveSessionsOf(sql);

  let closed = false;
  const assertOpen = (): void => {
    if (closed) throw new StoreFault('the store is closed', 'unchanged');
  };
  const rethrow = (error: unknown): never => {
    throw faultOf(error, path);
  };
  // Writes to a file that was deleted or replaced would be lost.
  const identity = fileIdentity(path);
  const isSameFile = (): boolean => fileIdentity(path) === identity;
  let fileCheckedMs = Number.NEGATIVE_INFINITY;
  const assertSameFileWithin = (ageMaxMs: number): void => {
    if (elapsedMs() - fileCheckedMs > ageMaxMs) assertSameFile();
  };
  const assertSameFile = (): void => {
    fileCheckedMs = elapsedMs();
    if (isSameFile()) return;
    fileCheckedMs = Number.NEGATIVE_INFINITY;
    throw new StoreGone(
      `${path} was removed or replaced while in use; find out why before you start Baton again`,
      'unchanged',
    );
  };

  const clearPending = (): void => {
    writing.pendingNotices.offeredTo.clear();
    writing.pendingNotices.settled = false;
  };
  const shared = sharedCommit(database, ctx, lockWait, {
    begun: () => {
      assertSameFileWithin(WRITE_CHECK_MS);
      sessions.begin();
      writing.begin();
    },
    flush: () => counters.flush(),
    committed: () => {
      notifier.notify(writing.pendingNotices);
      clearPending();
    },
    rolledBack: () => {
      names.forget();
      counters.forget();
      clearPending();
    },
  });
  const commit = async <Answer>(work: Work<Answer>): Promise<Answer> => {
    assertOpen();
    return shared.run(work);
  };
  const write = <Answer>(act: () => Answer): Promise<Answer> => commit(() => act);
  const sharedReads = sharedRead(database, lockWait, () => {
    assertOpen();
    assertSameFileWithin(READ_CHECK_MS);
  });
  const read = <Answer>(act: () => Answer): Promise<Answer> => sharedReads(act).catch(rethrow);

  const parts: HandoffParts = { sql, nowMs, read, commit, write, names, reading, sessions, writing, counters };
  const claim = claimOf(parts);
  const inserter = insertOf(parts);
  const change = changeOf(parts);
  const relay = relayOf(parts, inserter);
  const version = sql('PRAGMA data_version');
  const notifier = changeNotifierOf(notifyFilesIn(join(dirname(path), 'bells')), {
    // Another version wakes the waiters, which then find the file gone.
    version: () => {
      lockWait.enable();
      return isSameFile() ? (version.get()?.[0] as number) : GONE;
    },
    hasReady: (agent) => claim.probe(agent) !== 'nothing',
  });

  let unsyncedConnection: Database | null = null;
  const openUnsynced = (): Database => {
    assertOpen();
    assertSameFile();
    if (readOnly !== null) return database;
    unsyncedConnection ??= openDatabase(path, { sync: 'normal' });
    return unsyncedConnection;
  };
  const unsynced: UnsyncedConnection = {
    write: async (act) => {
      const connection = openUnsynced();
      return whenFree((waitedMs) => inImmediateTransaction(connection, act, monitor, waitedMs), ctx).catch(rethrow);
    },
    // A command that only reads opens no second connection, which would read the schema again.
    read: async (act) => read(() => act(unsyncedConnection ?? database)),
  };

  /** The number of uncommitted new handoffs per recipient. */
  const pendingInserts = new Map<AgentId, number>();
  const count = (agent: AgentId, change: 1 | -1): void => {
    const left = (pendingInserts.get(agent) ?? 0) + change;
    if (left === 0) pendingInserts.delete(agent);
    else pendingInserts.set(agent, left);
  };
  /** Wakes workers of this process before the commit: their claim is queued behind the insert and shares its commit. */
  const withAnnouncement = async <Answer>(
    newHandoffs: readonly NewHandoff[],
    inserted: Promise<Answer>,
  ): Promise<Answer> => {
    const agents = newHandoffs.flatMap(({ to }) => to ?? []);
    for (const agent of agents) count(agent, 1);
    for (const agent of new Set(agents)) notifier.announce(agent);
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
  /** For reads outside of `sharedReads`. */
  const assertOpenAndWaitForLock = (): void => {
    assertOpen();
    lockWait.enable();
  };
  const words = wordIndexOf(parts, assertOpenAndWaitForLock);
  const catchUp = async (text: string | undefined): Promise<void> => {
    if (text !== undefined && readOnly === null) await words.catchUp();
  };
  if (readOnly !== null) options.readOnly?.(`${readOnly}${words.isBehind() ? SEARCH_INCOMPLETE : ''}`);

  return {
    insert: async (newHandoffs, guard = {}) => {
      assertOpen();
      return withAnnouncement(newHandoffs, commit(inserter.insert(newHandoffs, guard)));
    },
    claim: async (agent, max, decide) => {
      assertOpen();
      assertSameFileWithin(READ_CHECK_MS);
      const seen = max < 1 ? 'nothing' : claim.probe(agent);
      if (seen === 'nothing' && (max < 1 || !pendingInserts.has(agent))) return [];
      return commit(claim.work(agent, max, decide, seen === 'ripe'));
    },
    change: (targets, decide) => commit(change(targets, decide)),
    relay: (target, decide, newHandoffs, guard = {}) => commit(relay(target, decide, newHandoffs, guard)),
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
    changed: (topic, signal) => notifier.changed(topic, signal),
    nowMs,
    sessions: sessionsOf(unsynced, clock, boot),
    outbox: outboxOf(parts),
    tokens: tokensOf(parts),
    agents: agentSessionsOf(parts),
    pauses: pausesOf(parts),
    policy: policiesOf(parts),
    schedules: schedulesOf(parts),
    transfer: transferOf(parts),
    retention: retentionOf(parts),
    upkeep: {
      ...dutyOf(unsynced, clock, boot),
      audit: async () => {
        const { audit } = await import('./audit.ts');
        return read(() => audit(path));
      },
      feedHolders: () => Promise.resolve([]),
      maintain: async () => {
        assertOpenAndWaitForLock();
        await checkpoint(database, path, { ...ctx, lockWait });
        if (closed) return;
        await words.update();
        if (closed) return;
        const before = nowMs() - REQUEST_MS;
        if (oldRequest.get(before) !== undefined) await write(() => void forgetRequests.run(before, FORGET_MAX));
      },
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await shared.idle();
      notifier.close();
      unsyncedConnection?.close();
      database.close();
    },
  };
}

function openChecked(
  path: string,
  { onLockWait, isReading }: { readonly onLockWait: (waitedMs: number) => void; readonly isReading: boolean },
): Opened {
  try {
    const how = { sync: 'full', onLockWait } as const;
    const opened = isReading ? openToRead(path, how) : { database: openDatabase(path, how), readOnly: null };
    const { database } = opened;
    const found = Number(prepare(database, 'PRAGMA user_version').get()?.[0]);
    if (found < SCHEMA_VERSION) withLockRetry(database, () => inImmediateTransaction(database, migrate), onLockWait);
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
function migrate(database: Database): void {
  const found = Number(prepare(database, 'PRAGMA user_version').get()?.[0]);
  if (found < SCHEMA_VERSION) database.exec(schemaSince(found));
}

function inImmediateTransaction<Answer>(
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
  const says = diskErrorText(error) ?? messageOf(error);
  return new StoreFault(`${path}: ${says}`, 'unchanged', { cause: error });
}

function fileIdentity(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 'gone' : `${stat.dev}:${stat.ino}`;
}
