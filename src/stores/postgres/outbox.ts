/** Effects that still have to be carried out. Done effects stay, so that their keys are never used again. */
import { inboxKind } from '../../domain/decision.ts';
import { DROPPED_COLUMNS, EFFECT_COLUMNS, readDropped, readEffect } from '../shared-rows.ts';
import type { Outbox } from '../store.ts';
import type { Connection } from './connection.ts';
import { NOW_MS } from './schema.ts';

export const DUE_SQL = `select ${EFFECT_COLUMNS} from baton.effect
where not done and due_at <= (select clock_timestamp()) order by due_at, seq limit $1::integer`;

const DONE_SQL = `update baton.effect set done = true
where key in (select key from json_array_elements_text($1::text::json) as given(key))`;

const LATER_SQL = `update baton.effect set due_at = clock_timestamp() + $2::text::interval,
  tries = coalesce($3::integer, tries)
where key = $1::text and not done and due_at < 'infinity'`;

/** After a lost answer the retry returns false although the effect is ours: it is tried again when it is due. */
const TAKE_SQL = `update baton.effect set due_at = clock_timestamp() + $2::text::interval
where key = $1::text and not done and due_at <= clock_timestamp() returning key`;

export const INBOX_SQL = `select ${EFFECT_COLUMNS} from baton.effect
where kind collate "C" = $1::text and not done and due_at = 'infinity' order by seq limit $2::integer`;

const DROP_SQL = `update baton.effect set done = true, dropped_at = ${NOW_MS}, dropped = $2::text
where key = $1::text and not done`;

const DROPPED_SQL = `select ${DROPPED_COLUMNS} from baton.effect
where dropped_at is not null order by dropped_at desc, seq desc limit $1::integer`;

const AGAIN_SQL = `update baton.effect set done = false, due_at = clock_timestamp(), tries = 0,
  dropped_at = null, dropped = null
where key = $1::text and dropped_at is not null returning key`;

/** Whether the effect is not given up: after a lost answer our first attempt has requeued it. */
const IS_OPEN_SQL = 'select 1 from baton.effect where key = $1::text and dropped_at is null';

export function outboxOf(connection: Connection): Outbox {
  return {
    due: async (max) => (await connection.read(DUE_SQL, [max])).map(readEffect),
    inbox: async (agent, max) => (await connection.read(INBOX_SQL, [inboxKind(agent), max])).map(readEffect),
    done: async (keys) => {
      if (keys.length > 0) await connection.write(DONE_SQL, [JSON.stringify(keys)]);
    },
    take: async (key, forMs) => (await connection.write(TAKE_SQL, [key, `${forMs} milliseconds`])).rows.length > 0,
    drop: async (key, says) => void (await connection.write(DROP_SQL, [key, says])),
    dropped: async (max) => (await connection.read(DROPPED_SQL, [max])).map(readDropped),
    requeue: async (key) => {
      const { rows, maybeApplied } = await connection.write(AGAIN_SQL, [key]);
      return rows.length > 0 || (maybeApplied && (await connection.read(IS_OPEN_SQL, [key])).length > 0);
    },
    postpone: async (key, inMs, tries) => {
      await connection.write(LATER_SQL, [key, `${inMs} milliseconds`, tries ?? null]);
    },
  };
}
