import type { JsonText } from '../../foundation/json.ts';
import { inboxKind } from '../../domain/decision.ts';
import type { DroppedEffect, DueEffect, Outbox } from '../store.ts';
import { prepare, type Database, type Row } from './binding.ts';
import { NEVER } from './schema.ts';
import type { SharedCommit } from './shared-commit.ts';

export const INBOX_SQL = `SELECT key, kind, payload, tries FROM effect INDEXED BY effect_inbox
  WHERE kind = ? AND done = 0 AND due_at = ${NEVER} ORDER BY seq LIMIT ?`;

export const DROPPED_SQL = `SELECT key, kind, payload, tries, dropped_at, dropped FROM effect INDEXED BY effect_dropped
  WHERE dropped_at IS NOT NULL ORDER BY dropped_at DESC, seq DESC LIMIT ?`;

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
    `UPDATE effect SET due_at = ?, tries = coalesce(?, tries) WHERE key = ? AND done = 0 AND due_at < ${NEVER}`,
  );
  const take = prepare(database, 'UPDATE effect SET due_at = ? WHERE key = ? AND done = 0 AND due_at <= ?');
  const inbox = prepare(database, INBOX_SQL);

  return {
    due: async (max) => {
      alive();
      return due.all(nowMs(), max).map(readEffect);
    },
    done: async (keys) => {
      alive();
      await commit.run(() => () => {
        for (const key of keys) done.run(key);
      });
    },
    take: async (key, forMs) => {
      alive();
      return commit.run(() => () => take.run(nowMs() + forMs, key, nowMs()) === 1);
    },
    later: async (key, inMs, tries) => {
      alive();
      await commit.run(() => () => {
        later.run(nowMs() + inMs, tries ?? null, key);
      });
    },
    drop: async (key, says) => {
      alive();
      const drop = prepare(
        database,
        'UPDATE effect SET done = 1, dropped_at = ?, dropped = ? WHERE key = ? AND done = 0',
      );
      await commit.run(() => () => void drop.run(nowMs(), says, key));
    },
    dropped: async (max) => {
      alive();
      return prepare(database, DROPPED_SQL).all(max).map(readDropped);
    },
    again: async (key) => {
      alive();
      const again = prepare(
        database,
        `UPDATE effect SET done = 0, due_at = ?, tries = 0, dropped_at = NULL, dropped = NULL
          WHERE key = ? AND dropped_at IS NOT NULL`,
      );
      return commit.run(() => () => again.run(nowMs(), key) === 1);
    },
    inbox: async (agent, max) => {
      alive();
      return inbox.all(inboxKind(agent), max).map(readEffect);
    },
  };
}

function readDropped(row: Row): DroppedEffect {
  return { ...readEffect(row), droppedAt: row[4] as number, says: row[5] as string };
}

function readEffect(row: Row): DueEffect {
  const tries = row[3] as number;
  const effect = { key: row[0] as string, kind: row[1] as string, payload: row[2] as JsonText };
  return tries === 0 ? effect : { ...effect, tries };
}
