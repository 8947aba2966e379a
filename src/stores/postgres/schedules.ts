import type { ScheduleRecord, Schedules } from '../schedule-store.ts';
import { readSchedule, SCHEDULE_COLUMNS } from '../shared-rows.ts';
import type { Connection } from './connection.ts';
import { NOW_MS } from './schema.ts';

const ADD_SQL = `insert into baton.schedule (${SCHEDULE_COLUMNS}) values ($1::text, $2::bigint, $3::text, $4::text)
on conflict (id) do nothing returning id`;
const LOAD_SQL = `select ${SCHEDULE_COLUMNS} from baton.schedule where id = $1::text`;
const LIST_SQL = `select ${SCHEDULE_COLUMNS} from baton.schedule where id > $1::text order by id limit $2::integer`;
const DUE_SQL = `select ${SCHEDULE_COLUMNS} from baton.schedule where next_at <= ${NOW_MS} order by next_at, id limit $1::integer`;
const ADVANCE_SQL = `update baton.schedule set next_at = $2::bigint, last = $3::text
where id = $1::text and next_at is not distinct from $4::bigint and spec = $5::text returning id`;
const REMOVE_SQL = 'delete from baton.schedule where id = $1::text returning id';

export function schedulesOf(connection: Connection): Schedules {
  const load = async (id: string): Promise<ScheduleRecord | null> => {
    const [row] = await connection.read(LOAD_SQL, [id]);
    return row === undefined ? null : readSchedule(row);
  };
  return {
    add: async ({ id, nextAt, spec, last }) => {
      const { rows, maybeApplied } = await connection.write(ADD_SQL, [id, nextAt, spec, last]);
      // An answer was lost and the write was retried: the existing row may be our own.
      return rows.length > 0 || (maybeApplied && (await load(id))?.spec === spec);
    },
    load,
    list: async (max, after = '') => (await connection.read(LIST_SQL, [after, max])).map(readSchedule),
    due: async (max) => (await connection.read(DUE_SQL, [max])).map(readSchedule),
    advance: async ({ id, nextAt, spec }, next) => {
      const { rows, maybeApplied } = await connection.write(ADVANCE_SQL, [id, next.nextAt, next.last, nextAt, spec]);
      return rows.length > 0 || (maybeApplied && (await load(id))?.last === next.last);
    },
    remove: async (id) => {
      const { rows, maybeApplied } = await connection.write(REMOVE_SQL, [id]);
      return rows.length > 0 || maybeApplied;
    },
  };
}
