import { PAUSE_COLUMNS, readPause } from '../pause-records.ts';
import type { Pauses, PauseRecord } from '../pause-store.ts';
import type { Row } from './binding.ts';
import type { StoreParts } from './store-parts.ts';

export const IS_PAUSED_SQL = 'SELECT 1 FROM agent_pause INDEXED BY agent_paused WHERE agent = ? AND ended_at IS NULL';

export function pausesOf({ sql, nowMs, read, write }: StoreParts): Pauses {
  const begin = sql(`INSERT INTO agent_pause (agent, at, by, reason) VALUES (?, ?, ?, ?)
    ON CONFLICT (agent) WHERE ended_at IS NULL DO NOTHING RETURNING ${PAUSE_COLUMNS}`);
  const end = sql(`UPDATE agent_pause SET ended_at = ?, ended_by = ? WHERE agent = ? AND ended_at IS NULL
    RETURNING ${PAUSE_COLUMNS}`);
  const list = sql(`SELECT ${PAUSE_COLUMNS} FROM agent_pause ORDER BY ended_at IS NOT NULL, seq DESC LIMIT ?`);
  const pauseIn = (row: Row | undefined): PauseRecord | null => (row === undefined ? null : readPause(row));
  return {
    begin: ({ agent, by, reason }) => write(() => pauseIn(begin.get(agent, nowMs(), by, reason))),
    end: (agent, by) => write(() => pauseIn(end.get(nowMs(), by, agent))),
    isPaused: (agent) => read(() => sql(IS_PAUSED_SQL).get(agent) !== undefined),
    list: (max) => read(() => list.all(max).map(readPause)),
  };
}
