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

  /** Nobody locks readers out, except for a moment whoever repairs the log of a process that was killed. */
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
      // One read may be of several tables, of which others write both meanwhile.
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
      // Those who were woken by the same event ask before this runs.
      if (waiting.length === 1) void Promise.resolve().then(look);
    });
}
