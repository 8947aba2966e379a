/**
 * The one file that calls the SQLite binding; `choose-binding.ts` says which one that is.
 *
 * The binding waits for a lock at most 4 ms, because the event loop stands still meanwhile. Timers do longer waits.
 */
import { pathToFileURL } from 'node:url';
import type { DatabaseSync, StatementSyncInstance } from '@photostructure/sqlite';
import { elapsedMs } from '../../foundation/clock.ts';
import { chooseBinding } from './choose-binding.ts';

export type Database = InstanceType<typeof DatabaseSync>;
export type Value = null | number | string;
export type Row = readonly Value[];

export interface Statement {
  /** Returns the number of changed rows. */
  run(...values: Value[]): number;
  /** Returns the number of the new row, at half the cost of RETURNING. */
  insert(...values: Value[]): number;
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): readonly Row[];
}

export const LOCK_WAIT_MS = 4;
/**
 * The first statement waits while another process closes the database as the last one, or recovers the log of a killed
 * process. Blocking is harmless here: nothing else runs yet.
 */
const OPEN_WAIT_MS = 10_000;

const SCHEMA_WAIT_MS = 60_000;
/** Long waits are split into short ones, so that the monitor can report who holds the lock. */
const WAIT_STEP_MS = 500;

export interface OpenOptions {
  /** `full`: a commit is on the disk before it is acknowledged. `normal`: it survives a crash of the process, not a power cut. */
  readonly sync: 'full' | 'normal';
  /**
   * `read` needs the log and its index if the log holds anything. `frozen` reads only the file, without locks: only for
   * files that no process can write.
   * @default 'write'
   */
  readonly access?: 'write' | 'read' | 'frozen';
  /** Called after each step of waiting for a lock, with the time waited so far. */
  readonly onLockWait?: (waitedMs: number) => void;
}

/** For SQLite, behind the address of the file. */
const ACCESS = { write: '?mode=rw', read: '?mode=ro', frozen: '?mode=ro&immutable=1' } as const;

/** Opens an existing file: a database that was removed must not come back as an empty one. */
export function openDatabase(path: string, { sync, onLockWait, access = 'write' }: OpenOptions): Database {
  const address = new URL(ACCESS[access], pathToFileURL(path));
  const database = new (chooseBinding().DatabaseSync)(address, { timeout: WAIT_STEP_MS });
  try {
    const settings = `
      PRAGMA synchronous = ${sync};
      PRAGMA fullfsync = on;
      PRAGMA wal_autocheckpoint = 0;
      PRAGMA temp_store = memory;
      PRAGMA trusted_schema = off;
      PRAGMA user_version;
    `;
    waitFor(() => database.exec(settings), OPEN_WAIT_MS, onLockWait);
    database.exec(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Blocks the event loop; the binding itself waits for one step. */
function waitFor(act: () => void, waitMaxMs: number, onLockWait: OpenOptions['onLockWait']): void {
  const beganMs = elapsedMs();
  for (;;) {
    try {
      act();
      return;
    } catch (error) {
      const waitedMs = elapsedMs() - beganMs;
      if (!isBusy(error) || waitedMs >= waitMaxMs) throw error;
      onLockWait?.(waitedMs);
    }
  }
}

export interface LockWait {
  /** Switches off the waiting of the binding, which sleeps for whole milliseconds. */
  disable(): void;
  enable(): void;
}

/** Sets the timeout only when it changes, because setting it costs as much as a small read. */
export function lockWaitOf(database: Database): LockWait {
  let waits = true;
  const setWait = (next: boolean, sql: Statement): void => {
    if (waits === next) return;
    sql.get();
    waits = next;
  };
  const none = prepare(database, 'PRAGMA busy_timeout = 0');
  const usual = prepare(database, `PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
  return { disable: () => setWait(false, none), enable: () => setWait(true, usual) };
}

/** Waits for a lock and blocks the event loop, for as long as another process may need to migrate a large file. */
export function withLockRetry(database: Database, act: () => void, onLockWait?: OpenOptions['onLockWait']): void {
  database.exec(`PRAGMA busy_timeout = ${WAIT_STEP_MS}`);
  waitFor(act, SCHEMA_WAIT_MS, onLockWait);
  database.exec(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
}

/** Creates a new database file. */
export function openEmptyDatabase(path: string): Database {
  return new (chooseBinding().DatabaseSync)(path, { timeout: LOCK_WAIT_MS });
}

/**
 * A statement of this binding does not keep its database alive: when only the statement is referenced, the database is
 * collected as garbage, and the statement returns nonsense or crashes the process. This map keeps the database alive.
 */
const databaseOf = new WeakMap<StatementSyncInstance, Database>();

/** Statements of one database. */
export type Sql = (text: string) => Statement;

export function sqlOn(database: Database): Sql {
  return (text) => prepare(database, text);
}

/** Prepared on first use: a command that sends one handoff needs a few of the sixty statements. */
export function prepare(database: Database, sql: string): Statement {
  let made: StatementSyncInstance | null = null;
  const statement = (): StatementSyncInstance => {
    made ??= make(database, sql);
    return made;
  };
  return {
    run: (...values) => Number(statement().run(...values).changes),
    insert: (...values) => Number(statement().run(...values).lastInsertRowid),
    get: (...values) => {
      try {
        return statement().get(...values) as Row | undefined;
      } catch (error) {
        return inBigIntegers(error, statement(), () => statement().get(...values)) as Row | undefined;
      }
    },
    all: (...values) => {
      try {
        return statement().all(...values) as Row[];
      } catch (error) {
        return inBigIntegers(error, statement(), () => statement().all(...values) as unknown) as Row[];
      }
    },
  };
}

const TOO_LARGE = 'Value is too large to be represented';

/**
 * The binding refuses all rows when one integer does not fit into a number. The rows are then read again with such an
 * integer as text, which fails only the check of its own row.
 */
function inBigIntegers(error: unknown, statement: StatementSyncInstance, read: () => unknown): unknown {
  if (!(error instanceof Error) || !error.message.startsWith(TOO_LARGE)) throw error;
  statement.setReadBigInts(true);
  try {
    return withNumbers(read());
  } finally {
    statement.setReadBigInts(false);
  }
}

function withNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function make(database: Database, sql: string): StatementSyncInstance {
  const statement: StatementSyncInstance = database.prepare(sql);
  databaseOf.set(statement, database);
  statement.setReturnArrays(true);
  return statement;
}

const NO_PERMISSION = 3;
const READ_ONLY = 8;
const CANNOT_OPEN = 14;
const BUSY = 5;
const LOCKED = 6;
const FULL = 13;
const IO_ERROR = 10;
const NOT_A_DATABASE = 26;
const CORRUPT = 11;

/** Another process holds the lock. Nothing has changed; the caller tries again later. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED;
}

/** After an I/O error a commit may or may not be there at the next start. */
export function isUncertain(error: unknown): boolean {
  return primaryCode(error) === IO_ERROR;
}

/** The file exists and cannot be written; it may still be readable. */
export function isUnwritable(error: unknown): boolean {
  const code = primaryCode(error);
  return code !== null && [NO_PERMISSION, READ_ONLY, CANNOT_OPEN, FULL, IO_ERROR].includes(code);
}

/** What is wrong with the disk or the file, as a message for operators. Null: neither is the cause. */
export function diskErrorText(error: unknown): string | null {
  switch (primaryCode(error)) {
    case FULL:
      return 'the disk is full: nothing was written; free some space and try again';
    case IO_ERROR:
      return 'the disk reported an error: nothing was acknowledged';
    case CORRUPT:
    case NOT_A_DATABASE:
      return 'the database file is damaged: stop all processes, keep a copy of .baton/, and restore a backup';
    default:
      return null;
  }
}

export function isFromDatabase(error: unknown): boolean {
  return primaryCode(error) !== null;
}

function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  // When it reads many rows, the binding sometimes sets only the message.
  if (!('errcode' in error)) return error.message === 'database is locked' ? BUSY : null;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null;
}
