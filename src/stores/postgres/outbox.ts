/** Effects that still have to happen. What is done stays as a mark, so that the same key is never done again. */
import type { JsonText } from '../../foundation/json.ts';
import { inboxKind } from '../../domain/decision.ts';
import type { DueEffect, Outbox } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Row } from './driver.ts';

export const DUE_SQL = `select key, kind, payload, tries from baton.effect
where not done and due_at <= (select clock_timestamp()) order by due_at, seq limit $1::integer`;

const DONE_SQL = `update baton.effect set done = true
where key in (select key from json_array_elements_text($1::text::json) as given(key))`;

const LATER_SQL = `update baton.effect set due_at = clock_timestamp() + $2::text::interval,
  tries = coalesce($3::integer, tries)
where key = $1::text and not done and due_at < 'infinity'`;

/** When the answer is lost and we ask again, it is ours and answers false: it is tried again when it is due. */
const TAKE_SQL = `update baton.effect set due_at = clock_timestamp() + $2::text::interval
where key = $1::text and not done and due_at <= clock_timestamp() returning key`;

export const INBOX_SQL = `select key, kind, payload, tries from baton.effect
where kind collate "C" = $1::text and not done and due_at = 'infinity' order by seq limit $2::integer`;

export function outboxOf(connection: Connection): Outbox {
  return {
    due: async (max) => (await connection.read(DUE_SQL, [max])).map(readEffect),
    inbox: async (agent, max) => (await connection.read(INBOX_SQL, [inboxKind(agent), max])).map(readEffect),
    done: async (keys) => {
      if (keys.length > 0) await connection.write(DONE_SQL, [JSON.stringify(keys)]);
    },
    take: async (key, forMs) => (await connection.write(TAKE_SQL, [key, `${forMs} milliseconds`])).rows.length > 0,
    later: async (key, inMs, tries) => {
      await connection.write(LATER_SQL, [key, `${inMs} milliseconds`, tries ?? null]);
    },
  };
}

function readEffect(row: Row): DueEffect {
  const tries = row[3] as number;
  const effect = { key: row[0] as string, kind: row[1] as string, payload: row[2] as JsonText };
  return tries === 0 ? effect : { ...effect, tries };
}
