/**
 * Concurrent callers of one process share a commit, and with it the wait for the disk.
 *
 * Work that arrives during one round of the event loop runs in one transaction. A caller that was alone last time waits
 * only for those that were woken by the same event. A decision that throws has not written
 * yet, so the others are unaffected. If writing fails, everything is rolled back and, unless the disk failed, each work
 * is retried alone, so that one bad record does not fail the others.
 */
import { elapsedMs, type Timers } from '../../foundation/clock.ts';
import { jittered, type Random } from '../../foundation/random.ts';
import { StoreFault } from '../store.ts';
import {
  diskErrorText,
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

/** Runs inside the transaction. The first call reads and decides, and may throw; the function that it returns writes. */
export type Work<Answer> = () => () => Answer;

export interface SharedCommit {
  run<Answer>(work: Work<Answer>): Promise<Answer>;
  /** Resolves when all queued work has been answered. */
  idle(): Promise<void>;
}

export interface CommitHooks {
  /** Called with the lock, before any decision. May throw a fault for all. */
  begun(): void;
  /** Called before COMMIT, to write what was collected for the transaction. */
  flush(): void;
  /** Called after COMMIT, before the callers get their answers. */
  committed(): void;
  rolledBack(): void;
}

/** Keeps a transaction at a few milliseconds, so that other processes do not starve. */
const SHARED_MAX = 256;
/** Longer than any healthy queue of writers. After that the caller gets a fault, and nothing has changed. */
const LOCK_PATIENCE_MS = 30_000;
const RETRY_MS = 2;
const LOCK_STEP_MS = 0.2;
/** Never notified: waiting on it is a short sleep. */
const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(4));

/** What is needed to wait for the write lock. */
export interface LockQueue {
  readonly timers: Timers;
  readonly random: Random;
  readonly path: string;
  readonly monitor: LockMonitor;
}

interface QueuedWork {
  readonly work: Work<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function sharedCommit(database: Database, ctx: LockQueue, lockWait: LockWait, hooks: CommitHooks): SharedCommit {
  const begin = prepare(database, 'BEGIN IMMEDIATE');
  const commit = prepare(database, 'COMMIT');
  const rollback = prepare(database, 'ROLLBACK');
  const version = prepare(database, 'PRAGMA user_version');
  let waiting: QueuedWork[] = [];
  let running: Promise<void> | null = null;
  let wasAlone = false;

  /** Retries in steps that are shorter than those of the binding: most locks are released sooner. */
  const beginSoon = (): void => {
    lockWait.disable();
    for (let waitedMs = 0; ; waitedMs += LOCK_STEP_MS) {
      try {
        begin.run();
        ctx.monitor.acquired();
        return;
      } catch (error) {
        if (!isBusy(error) || waitedMs >= LOCK_WAIT_MS) throw error;
        Atomics.wait(NEVER_NOTIFIED, 0, 0, LOCK_STEP_MS);
      }
    }
  };

  const inTransaction = (batch: readonly QueuedWork[]): (() => void)[] => {
    beginSoon();
    try {
      const found = version.get()?.[0];
      if (found !== SCHEMA_VERSION) throw wrongVersion(ctx.path, Number(found));
      hooks.begun();
      const answers = batch.map(attempt);
      hooks.flush();
      commit.run();
      return answers;
    } catch (error) {
      if (database.isTransaction) rollback.run();
      hooks.rolledBack();
      throw error;
    }
  };

  const settle = async (batch: readonly QueuedWork[]): Promise<void> => {
    try {
      const answers = await whenFree(() => inTransaction(batch), ctx);
      hooks.committed();
      for (const answer of answers) answer();
    } catch (error) {
      const disk = diskErrorText(error);
      if (disk === null && !(error instanceof StoreFault) && batch.length > 1) {
        for (const queued of batch) await settle([queued]);
        return;
      }
      const outcome = isUncertain(error) ? 'unknown' : 'unchanged';
      const fault = disk === null ? error : new StoreFault(`${ctx.path}: ${disk}`, outcome, { cause: error });
      for (const queued of batch) queued.reject(fault);
    }
  };

  const runBatches = async (): Promise<void> => {
    // A round of the event loop is a system call, and for one caller at a time nobody else comes in it.
    await (wasAlone ? afterMicrotasks() : nextRound());
    while (waiting.length > 0) {
      const batch = waiting.slice(0, SHARED_MAX);
      waiting = waiting.slice(SHARED_MAX);
      wasAlone = batch.length === 1;
      await settle(batch);
      // Callers that were just answered queue their next work before the next transaction begins.
      await nextRound();
    }
    running = null;
  };

  return {
    run: <Answer>(work: Work<Answer>) =>
      new Promise<Answer>((resolve, reject) => {
        waiting.push({ work, resolve: resolve as (answer: unknown) => void, reject });
        running ??= runBatches();
      }),
    idle: async () => {
      while (running !== null) await running;
    },
  };
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Node runs this queue when all promises that are settled by now have called back. */
function afterMicrotasks(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

function attempt(queued: QueuedWork): () => void {
  let write: () => unknown;
  try {
    write = queued.work();
  } catch (error) {
    if (isFromDatabase(error)) throw error;
    return () => queued.reject(error);
  }
  const answer = write();
  return () => queued.resolve(answer);
}

/** Waits for the write lock with timers, so that the event loop keeps running. */
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
