/**
 * Concurrent reads share one snapshot, because taking a snapshot costs more than most reads. A read sees everything that
 * was committed before it was requested.
 */
import { isBusy, prepare, type Database, type LockWait } from './binding.ts';

export type SharedRead = <Answer>(read: () => Answer) => Promise<Answer>;

interface QueuedRead {
  readonly read: () => unknown;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** `before` may throw a fault for all reads. */
export function sharedRead(database: Database, lockWait: LockWait, before: () => void): SharedRead {
  const begin = prepare(database, 'BEGIN');
  const end = prepare(database, 'COMMIT');
  let waiting: QueuedRead[] = [];

  /** Readers are locked out only while another process recovers the log of a killed process. */
  const withLockWait = (read: () => unknown): unknown => {
    try {
      return read();
    } catch (error) {
      if (!isBusy(error)) throw error;
      lockWait.enable();
      return read();
    }
  };

  const answer = ({ read, resolve, reject }: QueuedRead): void => {
    try {
      resolve(withLockWait(read));
    } catch (error) {
      reject(error);
    }
  };

  const runBatch = (): void => {
    const batch = waiting;
    waiting = [];
    try {
      before();
      // In a transaction, because one read may need several tables that another process writes together.
      begin.run();
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const queued of batch) answer(queued);
    if (database.isTransaction) end.run();
  };

  return <Answer>(read: () => Answer) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ read, resolve: resolve as (answer: unknown) => void, reject });
      // Callers that were woken by the same event add their reads before this runs.
      if (waiting.length === 1) void Promise.resolve().then(runBatch);
    });
}
