import { isOpenSession, type AgentSession } from '../../domain/agent-session.ts';
import { AGENT_SESSION_COLUMNS, readAgentSession, recordText } from '../agent-session-record.ts';
import type { AgentSessions } from '../store.ts';
import type { Connection } from './connection.ts';

const ADD_SQL = `insert into baton.agent_session (key, open, revision, record)
values ($1::text, $2::integer = 1, 1, $3::text) on conflict (key) do nothing`;
const BY_KEY_SQL = `select ${AGENT_SESSION_COLUMNS} from baton.agent_session where key = $1::text`;
const BY_ID_SQL = `select ${AGENT_SESSION_COLUMNS} from baton.agent_session where id = $1::bigint`;
const LIST_SQL = `select ${AGENT_SESSION_COLUMNS} from baton.agent_session where (open or $1::integer = 0) and id < $2::bigint
order by id desc limit $3::integer`;
const REPLACE_SQL = `update baton.agent_session set open = ($2::integer = 1), revision = revision + 1, record = $3::text
where id = $1::bigint and revision = $4::bigint returning ${AGENT_SESSION_COLUMNS}`;

export function agentSessionsOf(connection: Connection): AgentSessions {
  const load = async (id: number): Promise<AgentSession | null> => {
    const [row] = await connection.read(BY_ID_SQL, [id]);
    return row === undefined ? null : readAgentSession(row);
  };
  return {
    add: async (session) => {
      await connection.write(ADD_SQL, [session.key, Number(isOpenSession(session)), recordText(session)]);
      const [row] = await connection.read(BY_KEY_SQL, [session.key]);
      if (row === undefined) throw new Error(`agent session ${session.key} is not there after it was added`);
      return readAgentSession(row);
    },
    load,
    list: async ({ open, before = Number.MAX_SAFE_INTEGER, max }) =>
      (await connection.read(LIST_SQL, [open === true ? 1 : 0, before, max])).map(readAgentSession),
    replace: async (session) => {
      const record = recordText(session);
      const { rows, maybeApplied } = await connection.write(REPLACE_SQL, [
        session.id,
        Number(isOpenSession(session)),
        record,
        session.revision,
      ]);
      const [row] = rows;
      if (row !== undefined) return readAgentSession(row);
      if (!maybeApplied) return null;
      // An answer was lost and the write was retried: the newer revision may be our own.
      const written = await load(session.id);
      const isOurs = written?.revision === session.revision + 1 && recordText(written) === record;
      return isOurs ? written : null;
    },
  };
}
