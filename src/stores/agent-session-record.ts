/** An agent session as the databases keep it: the columns they search by, and the rest as JSON. */
import type { AgentSession, NewAgentSession } from '../domain/agent-session.ts';

const COLUMNS = ['id', 'key', 'revision'];

export function recordText(session: NewAgentSession | AgentSession): string {
  return JSON.stringify(Object.fromEntries(Object.entries(session).filter(([name]) => !COLUMNS.includes(name))));
}

export function sessionFrom(id: number, key: string, revision: number, record: string): AgentSession {
  return { id, key, revision, ...(JSON.parse(record) as Omit<AgentSession, 'id' | 'key' | 'revision'>) };
}
