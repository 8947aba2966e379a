import type { JsonText } from '../../foundation/json.ts';
import { inboxKind } from '../../domain/decision.ts';
import type { DueEffect, Outbox } from '../store.ts';
import { prepare, type Database, type Row } from './binding.ts';
import { NEVER } from './schema.ts';
import type { SharedCommit } from './shared-commit.ts';

export const INBOX_SQL = `SELECT key, kind, payload, tries FROM effect INDEXED BY effect_inbox
  WHERE kind = ? AND done = 0 AND due_at = ${NEVER} ORDER BY seq LIMIT ?`;

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
    inbox: async (agent, max) => {
      alive();
      return inbox.all(inboxKind(agent), max).map(readEffect);
    },
  };
}

function readEffect(row: Row): DueEffect {
  const tries = row[3] as number;
  const effect = { key: row[0] as string, kind: row[1] as string, payload: row[2] as JsonText };
  return tries === 0 ? effect : { ...effect, tries };
}
