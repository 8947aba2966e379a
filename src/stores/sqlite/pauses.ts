import { PAUSE_COLUMNS, readPause } from '../pause-records.ts';
import type { Pauses } from '../pause-store.ts';
import { prepare, type Database } from './binding.ts';
import type { StoreParts } from './store-parts.ts';

export const IS_PAUSED_SQL = 'SELECT 1 FROM agent_pause INDEXED BY agent_paused WHERE agent = ? AND ended_at IS NULL';

const BEGIN_SQL = `INSERT INTO agent_pause (agent, at, by, reason) VALUES (?, ?, ?, ?)
  ON CONFLICT (agent) WHERE ended_at IS NULL DO NOTHING RETURNING ${PAUSE_COLUMNS}`;

const END_SQL = `UPDATE agent_pause SET ended_at = ?, ended_by = ? WHERE agent = ? AND ended_at IS NULL
  RETURNING ${PAUSE_COLUMNS}`;

const LIST_PAUSES_SQL = `SELECT ${PAUSE_COLUMNS} FROM agent_pause ORDER BY ended_at IS NOT NULL, seq DESC LIMIT ?`;

export function pausesOf(database: Database, { commit, nowMs, alive, reader }: StoreParts): Pauses {
  return {
    begin: async ({ agent, by, reason }) => {
      alive();
      return commit.run(() => () => {
        const row = prepare(database, BEGIN_SQL).get(agent, nowMs(), by, reason);
        return row === undefined ? null : readPause(row);
      });
    },
    end: async (agent, by) => {
      alive();
      return commit.run(() => () => {
        const row = prepare(database, END_SQL).get(nowMs(), by, agent);
        return row === undefined ? null : readPause(row);
      });
    },
    isPaused: (agent) => reader(() => prepare(database, IS_PAUSED_SQL).get(agent) !== undefined),
    list: (max) => reader(() => prepare(database, LIST_PAUSES_SQL).all(max).map(readPause)),
  };
}
