import type { JsonText } from '../../foundation/json.ts';
import type { ScheduleRecord, Schedules } from '../schedule-store.ts';
import type { Connection } from './connection.ts';
import type { Row } from './driver.ts';
import { NOW_MS } from './schema.ts';

const COLUMNS = 'id, next_at, spec, last';
const ADD_SQL = `insert into baton.schedule (${COLUMNS}) values ($1::text, $2::bigint, $3::text, $4::text)
on conflict (id) do nothing returning id`;
const LOAD_SQL = `select ${COLUMNS} from baton.schedule where id = $1::text`;
const LIST_SQL = `select ${COLUMNS} from baton.schedule where id > $1::text order by id limit $2::integer`;
const DUE_SQL = `select ${COLUMNS} from baton.schedule where next_at <= ${NOW_MS} order by next_at, id limit $1::integer`;
const ADVANCE_SQL = `update baton.schedule set next_at = $2::bigint, last = $3::text
where id = $1::text and next_at is not distinct from $4::bigint and spec = $5::text returning id`;
const REMOVE_SQL = 'delete from baton.schedule where id = $1::text returning id';

export function schedulesOf(connection: Connection): Schedules {
  const load = async (id: string): Promise<ScheduleRecord | null> => {
    const [row] = await connection.read(LOAD_SQL, [id]);
    return row === undefined ? null : recordOf(row);
  };
  return {
    add: async ({ id, nextAt, spec, last }) => {
      const { rows, doubtful } = await connection.write(ADD_SQL, [id, nextAt, spec, last]);
      // An answer was lost and we asked again: what is in the way may be our own.
      return rows.length > 0 || (doubtful && (await load(id))?.spec === spec);
    },
    load,
    list: async (max, after = '') => (await connection.read(LIST_SQL, [after, max])).map(recordOf),
    due: async (max) => (await connection.read(DUE_SQL, [max])).map(recordOf),
    advance: async ({ id, nextAt, spec }, next) => {
      const { rows, doubtful } = await connection.write(ADVANCE_SQL, [id, next.nextAt, next.last, nextAt, spec]);
      return rows.length > 0 || (doubtful && (await load(id))?.last === next.last);
    },
    remove: async (id) => {
      const { rows, doubtful } = await connection.write(REMOVE_SQL, [id]);
      return rows.length > 0 || doubtful;
    },
  };
}

function recordOf(row: Row): ScheduleRecord {
  return {
    id: row[0] as string,
    nextAt: row[1] === null ? null : Number(row[1]),
    spec: row[2] as JsonText,
    last: row[3] as JsonText | null,
  };
}
