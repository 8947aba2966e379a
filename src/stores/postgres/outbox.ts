/** Effects that still have to happen. What is done stays as a mark, so that the same key is never done again. */
import type { JsonText } from '../../foundation/json.ts';
import type { Outbox } from '../store.ts';
import type { Connection } from './connection.ts';

export const DUE_SQL = `select key, kind, payload, tries from baton.effect
where not done and due_at <= (select clock_timestamp()) order by due_at, seq limit $1::integer`;

const DONE_SQL = `update baton.effect set done = true
where key in (select key from json_array_elements_text($1::text::json) as given(key))`;

const LATER_SQL = `update baton.effect set due_at = clock_timestamp() + $2::text::interval, tries = coalesce($3::integer, tries)
where key = $1::text and not done`;

export function outboxOf(connection: Connection): Outbox {
  return {
    due: async (max) =>
      (await connection.read(DUE_SQL, [max])).map((row) => ({
        key: row[0] as string,
        kind: row[1] as string,
        payload: row[2] as JsonText,
        ...(row[3] === 0 ? {} : { tries: row[3] as number }),
      })),
    done: async (keys) => {
      if (keys.length > 0) await connection.write(DONE_SQL, [JSON.stringify(keys)]);
    },
    later: async (key, inMs, tries) => {
      await connection.write(LATER_SQL, [key, `${inMs} milliseconds`, tries ?? null]);
    },
  };
}
