/** Running agents, as a part of the contract with a database (`store.ts`). */
import type { AgentSession, NewAgentSession } from '../domain/agent-session.ts';

export interface AgentSessions {
  /** Stores the session under the next whole number. A known key returns the stored session unchanged. */
  add(session: NewAgentSession): Promise<AgentSession>;
  load(id: number): Promise<AgentSession | null>;
  /** Newest first. `open`: only sessions that are starting or active. */
  list(query: AgentSessionQuery): Promise<readonly AgentSession[]>;
  /** Writes the record with the next revision. Null: the given revision is not the newest; nothing was written. */
  replace(session: AgentSession): Promise<AgentSession | null>;
}

interface AgentSessionQuery {
  readonly open?: true;
  /** Only those with a smaller id. */
  readonly before?: number;
  readonly max: number;
}
