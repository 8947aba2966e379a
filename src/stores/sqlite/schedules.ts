import type { JsonText } from '../../foundation/json.ts';
import type { ScheduleRecord, Schedules } from '../schedule-store.ts';
import type { Row } from './binding.ts';
import type { StoreParts } from './store-parts.ts';

const COLUMNS = 'id, next_at, spec, last';
export const DUE_SCHEDULES_SQL = `SELECT ${COLUMNS} FROM schedule INDEXED BY schedule_due
  WHERE next_at <= ? ORDER BY next_at LIMIT ?`;

export function schedulesOf({ sql, nowMs, read, write }: StoreParts): Schedules {
  const add = sql(`INSERT INTO schedule (${COLUMNS}) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`);
  const load = sql(`SELECT ${COLUMNS} FROM schedule WHERE id = ?`);
  const list = sql(`SELECT ${COLUMNS} FROM schedule WHERE id > ? ORDER BY id LIMIT ?`);
  const advance = sql('UPDATE schedule SET next_at = ?, last = ? WHERE id = ? AND next_at IS ? AND spec = ?');
  const remove = sql('DELETE FROM schedule WHERE id = ?');
  return {
    add: ({ id, nextAt, spec, last }) => write(() => add.run(id, nextAt, spec, last) > 0),
    load: (id) =>
      read(() => {
        const row = load.get(id);
        return row === undefined ? null : recordOf(row);
      }),
    list: (max, after = '') => read(() => list.all(after, max).map(recordOf)),
    due: (max) => read(() => sql(DUE_SCHEDULES_SQL).all(nowMs(), max).map(recordOf)),
    advance: ({ id, nextAt, spec }, next) => write(() => advance.run(next.nextAt, next.last, id, nextAt, spec) > 0),
    remove: (id) => write(() => remove.run(id) > 0),
  };
}

function recordOf(row: Row): ScheduleRecord {
  return {
    id: row[0] as string,
    nextAt: row[1] as number | null,
    spec: row[2] as JsonText,
    last: row[3] as JsonText | null,
  };
}
