import type { PauseRecord } from '../../stores/store.ts';

/** A pause of an agent as others see it. */
export interface PauseView {
  readonly agent: string;
  readonly at: string;
  /** In whose name it was paused. */
  readonly by: string;
  readonly reason: string | null;
  /** Null: it lasts. */
  readonly endedAt: string | null;
  readonly endedBy: string | null;
}

export function pauseView({ agent, at, by, reason, endedAt, endedBy }: PauseRecord): PauseView {
  return {
    agent: `@${agent}`,
    at: new Date(at).toISOString(),
    by,
    reason,
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
    endedBy,
  };
}
