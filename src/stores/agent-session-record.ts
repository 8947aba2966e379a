/** An agent session as a row: the columns that are searched, and the rest as JSON. */
import type { AgentSession, NewAgentSession } from '../domain/agent-session.ts';

const COLUMNS = ['id', 'key', 'revision'];
export const AGENT_SESSION_COLUMNS = `${COLUMNS.join(', ')}, record`;

export function recordText(session: NewAgentSession | AgentSession): string {
  return JSON.stringify(Object.fromEntries(Object.entries(session).filter(([name]) => !COLUMNS.includes(name))));
}

/** A row of `AGENT_SESSION_COLUMNS`. */
export function readAgentSession(row: readonly unknown[]): AgentSession {
  const [id, key, revision, record] = row as [number, string, number, string];
  return { id, key, revision, ...(JSON.parse(record) as Omit<AgentSession, 'id' | 'key' | 'revision'>) };
}
