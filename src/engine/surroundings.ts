/** Everything the engine needs from the world, passed in, so that a simulation can be the world. */
import type { Clock, Timers } from '../foundation/clock.ts';
import type { Random } from '../foundation/random.ts';
import type { HandoffId, SessionId } from '../domain/names.ts';
import type { Refusal } from '../domain/refusals.ts';
import type { ProcessIdentity, RunningGroup, Store } from '../stores/store.ts';

export interface Surroundings {
  readonly store: Store;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly liveness: Liveness;
  readonly heartbeat: Heartbeat;
  /** How long a worker session may be silent. */
  readonly leaseMs: number;
  readonly report: (event: EngineEvent) => void;
}

/** What can be told about other processes of this machine. */
export interface Liveness {
  readonly self: ProcessIdentity;
  /** `unknown` where process ids mean nothing to us: another host, another space of process ids. */
  of(process: ProcessIdentity): 'alive' | 'gone' | 'unknown';
  /** Ends a command with all its children, and comes back when none is left. */
  endGroup(group: RunningGroup): Promise<void>;
}

/** Beats for a session however busy the event loop is; calls `lost` once when others have ended the session. */
export interface Heartbeat {
  start(session: SessionId, lost: () => void): Promise<{ stop(): Promise<void> }>;
}

/** What happens beside the answers: for logs and terminals, never for decisions. */
export type EngineEvent =
  | { readonly kind: 'attempt-started'; readonly id: HandoffId; readonly attempt: number }
  | { readonly kind: 'attempt-settled'; readonly id: HandoffId; readonly state: string }
  | { readonly kind: 'result-refused'; readonly id: HandoffId; readonly refusal: Refusal }
  | { readonly kind: 'session-lost'; readonly session: SessionId }
  | { readonly kind: 'handoff-recovered'; readonly id: HandoffId; readonly says: string }
  | { readonly kind: 'clock-jumped'; readonly byMs: number }
  | { readonly kind: 'effect-postponed'; readonly key: string; readonly effect: string; readonly says: string }
  | { readonly kind: 'effect-dropped'; readonly key: string; readonly effect: string; readonly says: string }
  | { readonly kind: 'fault'; readonly doing: string; readonly error: unknown };
