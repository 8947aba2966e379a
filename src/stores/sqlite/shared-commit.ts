/**
 * Concurrent callers of one process share a commit, and with it the wait for the disk.
 *
 * Work is collected until the event loop has run its round, then all of it is done in one transaction. A decision that
 * throws has not written yet, so it leaves the others alone. If writing fails, everything is rolled back and, unless it
 * was the disk, each piece is tried alone, so that one bad record does not take its neighbours along.
 */
import { elapsedMs, type Timers } from '../../foundation/clock.ts';
import { jittered, type Random } from '../../foundation/random.ts';
import { StoreFault } from '../store.ts';
import {
  diskTrouble,
  isBusy,
  isFromDatabase,
  isUncertain,
  LOCK_WAIT_MS,
  prepare,
  type Database,
  type LockWait,
} from './binding.ts';
import type { LockMonitor } from './lock-monitor.ts';
import { SCHEMA_VERSION } from './schema.ts';

/** Runs inside the transaction. The first call reads and decides, and may throw; what it answers then writes. */
export type Work<Answer> = () => () => Answer;

export interface SharedCommit {
  run<Answer>(work: Work<Answer>): Promise<Answer>;
  /** Ends when everything that was handed in has been answered. */
  idle(): Promise<void>;
}

export interface CommitHooks {
  /** With the lock held, before anything is decided; may throw a fault for all. */
  begun(): void;
  /** Before COMMIT: what was saved up for the whole transaction. */
  flush(): void;
  /** After COMMIT, before the callers get their answers. */
  committed(): void;
  rolledBack(): void;
}

/** One transaction holds the write lock for a few milliseconds at most, or the other processes starve. */
const SHARED_MAX = 256;
/** Longer than any healthy queue of writers. After that the caller gets a fault: nothing has changed. */
const LOCK_PATIENCE_MS = 30_000;
const RETRY_MS = 2;
const LOCK_STEP_MS = 0.2;
/** Never notified: waiting on it is a short sleep. */
const NOBODY = new Int32Array(new SharedArrayBuffer(4));

/** What waiting for the write lock needs. */
export interface LockQueue {
  readonly timers: Timers;
  readonly random: Random;
  readonly path: string;
  readonly monitor: LockMonitor;
}

interface Piece {
  readonly work: Work<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function sharedCommit(database: Database, ctx: LockQueue, lockWait: LockWait, hooks: CommitHooks): SharedCommit {
  const begin = prepare(database, 'BEGIN IMMEDIATE');
  const commit = prepare(database, 'COMMIT');
  const rollback = prepare(database, 'ROLLBACK');
  const version = prepare(database, 'PRAGMA user_version');
  let waiting: Piece[] = [];
  let turning: Promise<void> | null = null;

  /** Most others are done sooner than the binding would look again. */
  const beginSoon = (): void => {
    lockWait.never();
    for (let waitedMs = 0; ; waitedMs += LOCK_STEP_MS) {
      try {
        begin.run();
        ctx.monitor.acquired();
        return;
      } catch (error) {
        if (!isBusy(error) || waitedMs >= LOCK_WAIT_MS) throw error;
        Atomics.wait(NOBODY, 0, 0, LOCK_STEP_MS);
      }
    }
  };

  const inTransaction = (pieces: readonly Piece[]): (() => void)[] => {
    beginSoon();
    try {
      const found = version.get()?.[0];
      if (found !== SCHEMA_VERSION) throw wrongVersion(ctx.path, Number(found));
      hooks.begun();
      const answers = pieces.map(attempt);
      hooks.flush();
      commit.run();
      return answers;
    } catch (error) {
      if (database.isTransaction) rollback.run();
      hooks.rolledBack();
      throw error;
    }
  };

  const settle = async (pieces: readonly Piece[]): Promise<void> => {
    try {
      const answers = await whenFree(() => inTransaction(pieces), ctx);
      hooks.committed();
      for (const answer of answers) answer();
    } catch (error) {
      const disk = diskTrouble(error);
      if (disk === null && !(error instanceof StoreFault) && pieces.length > 1) {
        for (const piece of pieces) await settle([piece]);
        return;
      }
      const outcome = isUncertain(error) ? 'unknown' : 'unchanged';
      const told = disk === null ? error : new StoreFault(`${ctx.path}: ${disk}`, outcome, { cause: error });
      for (const piece of pieces) piece.reject(told);
    }
  };

  const turn = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const pieces = waiting.slice(0, SHARED_MAX);
      waiting = waiting.slice(SHARED_MAX);
      await settle(pieces);
      // Those who were just answered hand in their next work before the next transaction begins.
      await new Promise((resolve) => setImmediate(resolve));
    }
    turning = null;
  };

  return {
    run: <Answer>(work: Work<Answer>) =>
      new Promise<Answer>((resolve, reject) => {
        waiting.push({ work, resolve: resolve as (answer: unknown) => void, reject });
        turning ??= turn();
      }),
    idle: async () => {
      while (turning !== null) await turning;
    },
  };
}

function attempt(piece: Piece): () => void {
  let write: () => unknown;
  try {
    write = piece.work();
  } catch (error) {
    if (isFromDatabase(error)) throw error;
    return () => piece.reject(error);
  }
  const answer = write();
  return () => piece.resolve(answer);
}

/** Waits for the write lock from timers, with the event loop running. */
export async function whenFree<Answer>(act: (waitedMs: number) => Answer, ctx: LockQueue): Promise<Answer> {
  for (let beganMs: number | null = null; ;) {
    const waitedMs = beganMs === null ? 0 : elapsedMs() - beganMs;
    try {
      return act(waitedMs);
    } catch (error) {
      if (!isBusy(error)) throw error;
      beganMs ??= elapsedMs();
      if (waitedMs > LOCK_PATIENCE_MS) {
        const says = `${ctx.path} was locked by others for ${LOCK_PATIENCE_MS / 1000} s, and nothing was changed`;
        throw new StoreFault(`${says}: ${ctx.monitor.gaveUp()}`, 'unchanged', { cause: error });
      }
      ctx.monitor.refused(waitedMs);
      await ctx.timers.sleep(jittered(RETRY_MS, ctx.random));
    }
  }
}

export function wrongVersion(path: string, found: number): StoreFault {
  return new StoreFault(
    `${path} has schema version ${found}, this Baton knows version ${SCHEMA_VERSION}: ` +
      (found > SCHEMA_VERSION ? 'install a newer Baton; the database was left as it is' : 'close it and open it again'),
    'unchanged',
  );
}
