import type { JsonText } from '../../foundation/json.ts';
import type { Outbox } from '../store.ts';
import { prepare, type Database } from './binding.ts';
import type { SharedCommit } from './shared-commit.ts';

export function outboxOf(
  database: Database,
  { commit, alive, nowMs }: { commit: SharedCommit; alive: () => void; nowMs: () => number },
): Outbox {
  const due = prepare(
    database,
    'SELECT key, kind, payload, tries FROM effect WHERE done = 0 AND due_at <= ? ORDER BY due_at, seq LIMIT ?',
  );
  const done = prepare(database, 'UPDATE effect SET done = 1 WHERE key = ?');
  const later = prepare(
    database,
    'UPDATE effect SET due_at = ?, tries = coalesce(?, tries) WHERE key = ? AND done = 0',
  );

  return {
    due: async (max) => {
      alive();
      return due.all(nowMs(), max).map((row) => ({
        key: row[0] as string,
        kind: row[1] as string,
        payload: row[2] as JsonText,
        ...(row[3] === 0 ? {} : { tries: row[3] as number }),
      }));
    },
    done: async (keys) => {
      alive();
      await commit.run(() => () => {
        for (const key of keys) done.run(key);
      });
    },
    later: async (key, inMs, tries) => {
      alive();
      await commit.run(() => () => {
        later.run(nowMs() + inMs, tries ?? null, key);
      });
    },
  };
}
