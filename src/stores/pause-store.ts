/** The part of the store contract that knows which agents are paused. Pauses that are over are kept: they tell who and why. */
import type { AgentId } from '../domain/names.ts';

export interface Pauses {
  /** From now on `claim` gives this agent nothing. Null: it is paused already, and nothing was written. */
  begin(pause: Pick<PauseRecord, 'agent' | 'by' | 'reason'>): Promise<PauseRecord | null>;
  /** Null: it is not paused. */
  end(agent: AgentId, by: string): Promise<PauseRecord | null>;
  isPaused(agent: AgentId): Promise<boolean>;
  /** Those that last first, then the newest. */
  list(max: number): Promise<readonly PauseRecord[]>;
}

export interface PauseRecord {
  readonly agent: AgentId;
  readonly at: number;
  /** The principal that paused it. */
  readonly by: string;
  readonly reason: string | null;
  /** Null: it lasts. */
  readonly endedAt: number | null;
  readonly endedBy: string | null;
}
