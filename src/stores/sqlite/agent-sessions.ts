import { isOpenSession, type AgentSession } from '../../domain/agent-session.ts';
import { recordText, sessionFrom } from '../agent-session-record.ts';
import type { AgentSessions } from '../store.ts';
import { prepare, type Database, type Row } from './binding.ts';
import type { SharedCommit } from './shared-commit.ts';

const COLUMNS = 'id, key, revision, record';
const AGENTS_SQL = `SELECT ${COLUMNS} FROM agent_session WHERE id < ? ORDER BY id DESC LIMIT ?`;
export const OPEN_AGENTS_SQL = `SELECT ${COLUMNS} FROM agent_session WHERE open = 1 AND id < ? ORDER BY id DESC LIMIT ?`;

export function agentSessionsOf(
  database: Database,
  parts: {
    readonly commit: SharedCommit;
    readonly alive: () => void;
    readonly reader: <Answer>(read: () => Answer) => Promise<Answer>;
  },
): AgentSessions {
  const { commit, alive, reader } = parts;
  const one = (column: 'id' | 'key', value: number | string): AgentSession | null =>
    loadAgentSession(database, column, value);
  return {
    add: async (session) => {
      alive();
      return commit.run(() => {
        const known = one('key', session.key);
        if (known !== null) return () => known;
        const record = recordText(session);
        return () => {
          prepare(database, 'INSERT INTO agent_session (key, open, revision, record) VALUES (?, ?, 1, ?)').run(
            session.key,
            Number(isOpenSession(session)),
            record,
          );
          return one('key', session.key) as AgentSession;
        };
      });
    },
    load: (id) => reader(() => one('id', id)),
    list: ({ open, before = Number.MAX_SAFE_INTEGER, max }) =>
      reader(() =>
        prepare(database, open === true ? OPEN_AGENTS_SQL : AGENTS_SQL)
          .all(before, max)
          .map(sessionOf),
      ),
    replace: async (session) => {
      alive();
      return commit.run(() => {
        if (one('id', session.id)?.revision !== session.revision) return () => null;
        const next = { ...session, revision: session.revision + 1 };
        return () => {
          prepare(database, 'UPDATE agent_session SET open = ?, revision = ?, record = ? WHERE id = ?').run(
            Number(isOpenSession(next)),
            next.revision,
            recordText(next),
            next.id,
          );
          return next;
        };
      });
    },
  };
}

export function loadAgentSession(
  database: Database,
  column: 'id' | 'key',
  value: number | string,
): AgentSession | null {
  const row = prepare(database, `SELECT ${COLUMNS} FROM agent_session WHERE ${column} = ?`).get(value);
  return row === undefined ? null : sessionOf(row);
}

function sessionOf(row: Row): AgentSession {
  return sessionFrom(row[0] as number, row[1] as string, row[2] as number, row[3] as string);
}
