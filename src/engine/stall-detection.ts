/**
 * Checks clock and database before this process judges others by their silence.
 *
 * Two things look like silence and are not: a wall clock that was set, and a time in which this process was stopped or no
 * process could write. After either, other processes get that time again.
 */
import { JUMP_MS, type ClockObservation } from '../foundation/clock.ts';
import { TIMEOUT_GRACE_MS } from '../domain/deadlines.ts';
import type { Store } from '../stores/store.ts';
import type { Context } from './context.ts';

export interface StallCheck {
  /** The store's clock at the time of the check. */
  readonly checkedAt: number;
  /** For how long the clock has not been set, as far as any process of this database knows. */
  readonly steadyMs: number;
  /** The clock was set since the last check. */
  readonly wasSet: boolean;
  /** For how long this process has seen the clock not being set. */
  readonly watchedMs: number;
  /**
   * Whether this process has watched for one lease, without a gap that alone could explain a missing heartbeat.
   */
  hasWatched(leaseMs: number): boolean;
}

/** For a process that checks only once: the store knows what other processes have seen of the clock. */
export async function checkOnce(ctx: Context): Promise<StallCheck> {
  const check = await checkClock(ctx);
  return { checkedAt: ctx.store.nowMs(), ...check, watchedMs: 0, hasWatched: () => true };
}

export function checkClock({ store, clock, liveness }: Context): Promise<ClockObservation> {
  return store.upkeep.checkClock({ boot: liveness.self.boot, monotonicMs: clock.monotonicMs() });
}

/** After a time in which no process could write, workers have this long to settle their handoffs. */
export const SETTLE_AFTER_GAP_MS = 2 * TIMEOUT_GRACE_MS;

/** Several heartbeats fit into a lease, so a gap of less than half a lease explains no silence. */
const GAP_SHARE = 0.5;
/** Older gaps no longer matter for any lease in use, or newer gaps follow them. */
const GAPS_MAX = 32;

export type StallWatch = ReturnType<typeof openStallWatch>;

/** `everyMs` is the usual time between two successful writes. */
export function openStallWatch(
  { store, clock, report }: Pick<Context, 'clock' | 'report'> & { readonly store: Pick<Store, 'nowMs'> },
  everyMs: number,
) {
  const offset = (): number => store.nowMs() - clock.monotonicMs();
  const beganMs = clock.monotonicMs();
  let last = offset();
  let jumpedAtMs = Number.NEGATIVE_INFINITY;
  /** Nothing is known before the first read of the store. */
  let knownSteadySinceMs = beganMs;
  let provenMs = beganMs;
  let gaps: readonly { readonly endedMs: number; readonly lengthMs: number }[] = [];

  const hasWatched = (leaseMs: number): boolean => {
    const nowMs = clock.monotonicMs();
    const matters = (lengthMs: number): boolean => lengthMs > leaseMs * GAP_SHARE;
    if (nowMs - beganMs < leaseMs || matters(nowMs - provenMs - everyMs)) return false;
    return gaps.every(({ endedMs, lengthMs }) => nowMs - endedMs >= leaseMs || !matters(lengthMs));
  };

  return {
    /** Call this in every round: combines what this process has seen with what the store last knew. */
    check: () => {
      const byMs = offset() - last;
      last += byMs;
      const wasSet = Math.abs(byMs) > JUMP_MS;
      if (wasSet) {
        jumpedAtMs = clock.monotonicMs();
        report({ kind: 'clock-jumped', byMs });
      }
      const nowMs = clock.monotonicMs();
      return {
        checkedAt: store.nowMs(),
        steadyMs: nowMs - Math.max(jumpedAtMs, knownSteadySinceMs),
        wasSet,
        watchedMs: nowMs - Math.max(jumpedAtMs, beganMs),
        hasWatched,
      };
    },
    /** Adds what the store knows now. */
    with: (known: ClockObservation, seen: StallCheck) => {
      const nowMs = clock.monotonicMs();
      knownSteadySinceMs = nowMs - known.steadyMs;
      return {
        ...seen,
        steadyMs: nowMs - Math.max(jumpedAtMs, knownSteadySinceMs),
        wasSet: seen.wasSet || known.wasSet,
      };
    },
    /** A write to the database succeeded at this monotonic time. */
    proven: (atMs: number) => {
      if (atMs <= provenMs) return;
      const lengthMs = atMs - provenMs - everyMs;
      if (lengthMs > 0) gaps = [...gaps.slice(1 - GAPS_MAX), { endedMs: clock.monotonicMs(), lengthMs }];
      provenMs = atMs;
    },
  };
}
