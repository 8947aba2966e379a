import type { JsonText } from '../../foundation/json.ts';
import type { ScheduleRecord, Schedules } from '../schedule-store.ts';
import { prepare, type Database, type Row } from './binding.ts';
import type { StoreParts } from './store-parts.ts';

const COLUMNS = 'id, next_at, spec, last';
export const DUE_SCHEDULES_SQL = `SELECT ${COLUMNS} FROM schedule INDEXED BY schedule_due
  WHERE next_at <= ? ORDER BY next_at LIMIT ?`;

export function schedulesOf(database: Database, { commit, nowMs, alive, reader }: StoreParts): Schedules {
  const load = (id: string): ScheduleRecord | null => {
    const row = prepare(database, `SELECT ${COLUMNS} FROM schedule WHERE id = ?`).get(id);
    return row === undefined ? null : recordOf(row);
  };
  const write = async (sql: string, ...values: readonly (string | number | null)[]): Promise<boolean> => {
    alive();
    return commit.run(() => () => prepare(database, sql).run(...values) > 0);
  };
  return {
    add: ({ id, nextAt, spec, last }) =>
      write(
        `INSERT INTO schedule (${COLUMNS}) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
        id,
        nextAt,
        spec,
        last,
      ),
    load: (id) => reader(() => load(id)),
    list: (max, after = '') =>
      reader(() =>
        prepare(database, `SELECT ${COLUMNS} FROM schedule WHERE id > ? ORDER BY id LIMIT ?`)
          .all(after, max)
          .map(recordOf),
      ),
    due: (max) => reader(() => prepare(database, DUE_SCHEDULES_SQL).all(nowMs(), max).map(recordOf)),
    advance: ({ id, nextAt, spec }, next) =>
      write(
        'UPDATE schedule SET next_at = ?, last = ? WHERE id = ? AND next_at IS ? AND spec = ?',
        next.nextAt,
        next.last,
        id,
        nextAt,
        spec,
      ),
    remove: (id) => write('DELETE FROM schedule WHERE id = ?', id),
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
