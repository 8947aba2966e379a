/** Pause ↔ a row of both databases. */
import type { AgentId } from '../domain/names.ts';
import type { PauseRecord } from './pause-store.ts';

export const PAUSE_COLUMNS = 'agent, at, by, reason, ended_at, ended_by';

/** A row of `PAUSE_COLUMNS`. */
export function readPause(row: readonly unknown[]): PauseRecord {
  const [agent, at, by, reason, endedAt, endedBy] = row;
  return {
    agent: agent as AgentId,
    at: Number(at),
    by: by as string,
    reason: reason as string | null,
    endedAt: endedAt === null ? null : Number(endedAt),
    endedBy: endedBy as string | null,
  };
}
