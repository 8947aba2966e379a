import { inboxKind } from '../../domain/decision.ts';
import { DROPPED_COLUMNS, EFFECT_COLUMNS, readDropped, readEffect } from '../shared-rows.ts';
import type { Outbox } from '../store.ts';
import { NEVER } from './schema.ts';
import type { StoreParts } from './store-parts.ts';

export const INBOX_SQL = `SELECT ${EFFECT_COLUMNS} FROM effect INDEXED BY effect_inbox
  WHERE kind = ? AND done = 0 AND due_at = ${NEVER} ORDER BY seq LIMIT ?`;

export const DROPPED_SQL = `SELECT ${DROPPED_COLUMNS} FROM effect INDEXED BY effect_dropped
  WHERE dropped_at IS NOT NULL ORDER BY dropped_at DESC, seq DESC LIMIT ?`;

export function outboxOf({ sql, nowMs, read, write }: StoreParts): Outbox {
  const due = sql(`SELECT ${EFFECT_COLUMNS} FROM effect WHERE done = 0 AND due_at <= ? ORDER BY due_at, seq LIMIT ?`);
  const done = sql('UPDATE effect SET done = 1 WHERE key = ?');
  const take = sql('UPDATE effect SET due_at = ? WHERE key = ? AND done = 0 AND due_at <= ?');
  const later = sql(`UPDATE effect SET due_at = ?, tries = coalesce(?, tries)
    WHERE key = ? AND done = 0 AND due_at < ${NEVER}`);
  const drop = sql('UPDATE effect SET done = 1, dropped_at = ?, dropped = ? WHERE key = ? AND done = 0');
  const again = sql(`UPDATE effect SET done = 0, due_at = ?, tries = 0, dropped_at = NULL, dropped = NULL
    WHERE key = ? AND dropped_at IS NOT NULL`);
  return {
    due: (max) => read(() => due.all(nowMs(), max).map(readEffect)),
    done: (keys) =>
      write(() => {
        for (const key of keys) done.run(key);
      }),
    take: (key, forMs) => write(() => take.run(nowMs() + forMs, key, nowMs()) === 1),
    postpone: (key, inMs, tries) => write(() => void later.run(nowMs() + inMs, tries ?? null, key)),
    drop: (key, says) => write(() => void drop.run(nowMs(), says, key)),
    dropped: (max) => read(() => sql(DROPPED_SQL).all(max).map(readDropped)),
    requeue: (key) => write(() => again.run(nowMs(), key) === 1),
    inbox: (agent, max) => read(() => sql(INBOX_SQL).all(inboxKind(agent), max).map(readEffect)),
  };
}
