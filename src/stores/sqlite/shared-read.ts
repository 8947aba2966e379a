/**
 * Reads that are asked for together are answered together, from one snapshot: taking one costs more than most reads.
 * Each is answered with what was committed before it was asked for, or later.
 */
import { isBusy, prepare, type Database, type LockWait } from './binding.ts';

export type SharedRead = <Answer>(read: () => Answer) => Promise<Answer>;

interface Piece {
  readonly read: () => unknown;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** `before` may throw, for all of them. */
export function sharedRead(database: Database, lockWait: LockWait, before: () => void): SharedRead {
  const begin = prepare(database, 'BEGIN');
  const end = prepare(database, 'COMMIT');
  let waiting: Piece[] = [];

  /** Readers are locked out only while another process repairs the log of a killed one. */
  const patiently = (read: () => unknown): unknown => {
    try {
      return read();
    } catch (error) {
      if (!isBusy(error)) throw error;
      lockWait.usually();
      return read();
    }
  };

  const answer = ({ read, resolve, reject }: Piece): void => {
    try {
      resolve(patiently(read));
    } catch (error) {
      reject(error);
    }
  };

  const look = (): void => {
    const pieces = waiting;
    waiting = [];
    try {
      before();
      // In a transaction, because one read may need several tables that another process writes together.
      begin.run();
    } catch (error) {
      for (const { reject } of pieces) reject(error);
      return;
    }
    for (const piece of pieces) answer(piece);
    if (database.isTransaction) end.run();
  };

  return <Answer>(read: () => Answer) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ read, resolve: resolve as (answer: unknown) => void, reject });
      // Callers that were woken by the same event add their reads before this runs.
      if (waiting.length === 1) void Promise.resolve().then(look);
    });
}
