import { isOpenSession, type AgentSession } from '../../domain/agent-session.ts';
import { AGENT_SESSION_COLUMNS, readAgentSession, recordText } from '../agent-session-record.ts';
import type { AgentSessions } from '../store.ts';
import type { StoreParts } from './store-parts.ts';

const AGENTS_SQL = `SELECT ${AGENT_SESSION_COLUMNS} FROM agent_session WHERE id < ? ORDER BY id DESC LIMIT ?`;
export const OPEN_AGENTS_SQL = `SELECT ${AGENT_SESSION_COLUMNS} FROM agent_session WHERE open = 1 AND id < ? ORDER BY id DESC LIMIT ?`;

export function agentSessionsOf({ sql, read, commit }: StoreParts): AgentSessions {
  const add = sql('INSERT INTO agent_session (key, open, revision, record) VALUES (?, ?, 1, ?)');
  const replace = sql('UPDATE agent_session SET open = ?, revision = ?, record = ? WHERE id = ?');
  const byKey = (key: string): AgentSession | null => loadAgentSession(sql, 'key', key);
  const byId = (id: number): AgentSession | null => loadAgentSession(sql, 'id', id);
  return {
    add: (session) =>
      commit(() => {
        const known = byKey(session.key);
        if (known !== null) return () => known;
        return () => {
          add.run(session.key, Number(isOpenSession(session)), recordText(session));
          return byKey(session.key) as AgentSession;
        };
      }),
    load: (id) => read(() => byId(id)),
    list: ({ open, before = Number.MAX_SAFE_INTEGER, max }) =>
      read(() =>
        sql(open === true ? OPEN_AGENTS_SQL : AGENTS_SQL)
          .all(before, max)
          .map(readAgentSession),
      ),
    replace: (session) =>
      commit(() => {
        if (byId(session.id)?.revision !== session.revision) return () => null;
        const next = { ...session, revision: session.revision + 1 };
        return () => {
          replace.run(Number(isOpenSession(next)), next.revision, recordText(next), next.id);
          return next;
        };
      }),
  };
}

export function loadAgentSession(
  sql: StoreParts['sql'],
  column: 'id' | 'key',
  value: number | string,
): AgentSession | null {
  const row = sql(`SELECT ${AGENT_SESSION_COLUMNS} FROM agent_session WHERE ${column} = ?`).get(value);
  return row === undefined ? null : readAgentSession(row);
}
