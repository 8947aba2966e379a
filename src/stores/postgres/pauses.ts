import type { AgentId } from '../../domain/names.ts';
import { PAUSE_COLUMNS, readPause } from '../pause-records.ts';
import type { PauseRecord, Pauses } from '../pause-store.ts';
import type { Connection } from './connection.ts';
import { NOW_MS } from './schema.ts';

/** `agent` is an SQL expression. */
export function isPausedSql(agent: string): string {
  return `exists (select from baton.agent_pause pause where pause.agent = ${agent} and pause.ended_at is null)`;
}

const BEGIN_SQL = `insert into baton.agent_pause (agent, at, by, reason)
values ($1::text, ${NOW_MS}, $2::text, $3::text) on conflict (agent) where ended_at is null do nothing returning ${PAUSE_COLUMNS}`;
const END_SQL = `update baton.agent_pause set ended_at = ${NOW_MS}, ended_by = $2::text
where agent = $1::text and ended_at is null returning ${PAUSE_COLUMNS}`;
const IS_PAUSED_SQL = `select 1 where ${isPausedSql('$1::text')}`;
const NEWEST_SQL = `select ${PAUSE_COLUMNS} from baton.agent_pause where agent = $1::text order by seq desc limit 1`;
const LIST_SQL = `select ${PAUSE_COLUMNS} from baton.agent_pause order by ended_at is not null, seq desc limit $1::integer`;

export function pausesOf(connection: Connection): Pauses {
  /** After a lost answer and a retry, the newest pause is our own, or an equal one of another process. */
  const written = async (
    sql: string,
    agent: AgentId,
    others: readonly (string | null)[],
    isOver: boolean,
  ): Promise<PauseRecord | null> => {
    const { rows, maybeApplied } = await connection.write(sql, [agent, ...others]);
    const [row] = rows.length > 0 || !maybeApplied ? rows : await connection.read(NEWEST_SQL, [agent]);
    const pause = row === undefined ? null : readPause(row);
    return pause !== null && (pause.endedAt !== null) === isOver ? pause : null;
  };
  return {
    begin: ({ agent, by, reason }) => written(BEGIN_SQL, agent, [by, reason], false),
    end: (agent, by) => written(END_SQL, agent, [by], true),
    isPaused: async (agent) => (await connection.read(IS_PAUSED_SQL, [agent])).length > 0,
    list: async (max) => (await connection.read(LIST_SQL, [max])).map(readPause),
  };
}
