import type { Schedules } from '../schedule-store.ts';
import { readSchedule, SCHEDULE_COLUMNS } from '../shared-rows.ts';
import type { StoreParts } from './store-parts.ts';

export const DUE_SCHEDULES_SQL = `SELECT ${SCHEDULE_COLUMNS} FROM schedule INDEXED BY schedule_due
  WHERE next_at <= ? ORDER BY next_at LIMIT ?`;

export function schedulesOf({ sql, nowMs, read, write }: StoreParts): Schedules {
  const add = sql(`INSERT INTO schedule (${SCHEDULE_COLUMNS}) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`);
  const load = sql(`SELECT ${SCHEDULE_COLUMNS} FROM schedule WHERE id = ?`);
  const list = sql(`SELECT ${SCHEDULE_COLUMNS} FROM schedule WHERE id > ? ORDER BY id LIMIT ?`);
  const advance = sql('UPDATE schedule SET next_at = ?, last = ? WHERE id = ? AND next_at IS ? AND spec = ?');
  const remove = sql('DELETE FROM schedule WHERE id = ?');
  return {
    add: ({ id, nextAt, spec, last }) => write(() => add.run(id, nextAt, spec, last) > 0),
    load: (id) =>
      read(() => {
        const row = load.get(id);
        return row === undefined ? null : readSchedule(row);
      }),
    list: (max, after = '') => read(() => list.all(after, max).map(readSchedule)),
    due: (max) => read(() => sql(DUE_SCHEDULES_SQL).all(nowMs(), max).map(readSchedule)),
    advance: ({ id, nextAt, spec }, next) => write(() => advance.run(next.nextAt, next.last, id, nextAt, spec) > 0),
    remove: (id) => write(() => remove.run(id) > 0),
  };
}
