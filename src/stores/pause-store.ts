/** The part of the store contract for paused agents. Ended pauses are kept, with who paused the agent and why. */
import type { AgentId } from '../domain/names.ts';

export interface Pauses {
  /** From now on `claim` returns nothing for this agent. Null: the agent is paused already; nothing was written. */
  begin(pause: Pick<PauseRecord, 'agent' | 'by' | 'reason'>): Promise<PauseRecord | null>;
  /** Null: the agent is not paused. */
  end(agent: AgentId, by: string): Promise<PauseRecord | null>;
  isPaused(agent: AgentId): Promise<boolean>;
  /** Current pauses first, then the newest. */
  list(max: number): Promise<readonly PauseRecord[]>;
}

export interface PauseRecord {
  readonly agent: AgentId;
  readonly at: number;
  /** The principal that paused it. */
  readonly by: string;
  readonly reason: string | null;
  /** Null: the pause has not ended. */
  readonly endedAt: number | null;
  readonly endedBy: string | null;
}
