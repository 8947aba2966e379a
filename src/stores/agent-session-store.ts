/** Running agents, as a part of the contract with a database (`store.ts`). */
import type { AgentSession, NewAgentSession } from '../domain/agent-session.ts';

export interface AgentSessions {
  /** Gives it the next whole number. The same key answers the session that is there, as it is. */
  add(session: NewAgentSession): Promise<AgentSession>;
  load(id: number): Promise<AgentSession | null>;
  /** Newest first; `open`: only those that are starting or active. */
  list(query: AgentSessionQuery): Promise<readonly AgentSession[]>;
  /** Writes the record with the next revision. Null: its revision is not the newest one, and nothing was written. */
  replace(session: AgentSession): Promise<AgentSession | null>;
}

interface AgentSessionQuery {
  readonly open?: true;
  /** Only those with a smaller id. */
  readonly before?: number;
  readonly max: number;
}
