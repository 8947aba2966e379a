/**
 * What a process knows about clock and database before it judges other processes by their silence.
 *
 * Two things look like silence and are not: a wall clock that was set, and a time in which this process was stopped or no
 * process could write. After either, other processes get the lost time again.
 */
import { JUMP_MS, type ClockLook } from '../foundation/clock.ts';
import { TIMEOUT_GRACE_MS } from '../domain/deadlines.ts';
import type { Store } from '../stores/store.ts';
import type { Context } from './context.ts';

export interface StallCheck {
  /** What the store's clock said when this was found out. */
  readonly lookedAt: number;
  /** For how long it has run undisturbed, as far as anybody knows who looks at this database. */
  readonly steadyMs: number;
  /** It was set since the last look. */
  readonly wasSet: boolean;
  /** For how long it has run undisturbed while we looked. */
  readonly watchedMs: number;
  /**
   * Whether this process has looked for one lease, and no gap in it was so long that a beat could have been missing
   * because of the gap alone.
   */
  hasWatched(leaseMs: number): boolean;
}

/** For a process that looks once and has not watched: the store knows what others have seen of the clock. */
export async function checkOnce(ctx: Context): Promise<StallCheck> {
  const look = await checkClock(ctx);
  return { lookedAt: ctx.store.nowMs(), ...look, watchedMs: 0, hasWatched: () => true };
}

export function checkClock({ store, clock, liveness }: Context): Promise<ClockLook> {
  return store.upkeep.lookAtClock({ boot: liveness.self.boot, monotonicMs: clock.monotonicMs() });
}

/** After a time in which no process could write, workers have this long to deliver results from that time. */
export const SETTLE_AFTER_GAP_MS = 2 * TIMEOUT_GRACE_MS;

/** Several beats fit into a lease; half of one is missing only if nobody could write for as long. */
const GAP_SHARE = 0.5;
/** Older gaps are over for every lease that is in use, or are followed by newer ones. */
const GAPS_MAX = 32;

export interface StallWatch {
  /** To be called at every look: what we have seen ourselves, and what was last known in the store. */
  look(): StallCheck;
  /** What is known in the store by now. */
  with(known: ClockLook, seen: StallCheck): StallCheck;
  /** The database is known to have taken a write at this monotonic time. */
  proven(atMs: number): void;
}

/** `everyMs` is how far two proofs are apart when all is well. */
export function openStallWatch(
  { store, clock, report }: Pick<Context, 'clock' | 'report'> & { readonly store: Pick<Store, 'nowMs'> },
  everyMs: number,
): StallWatch {
  const offset = (): number => store.nowMs() - clock.monotonicMs();
  const beganMs = clock.monotonicMs();
  let last = offset();
  let jumpedAtMs = Number.NEGATIVE_INFINITY;
  /** Before the first look into the store nothing is known. */
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
    look: () => {
      const byMs = offset() - last;
      last += byMs;
      const wasSet = Math.abs(byMs) > JUMP_MS;
      if (wasSet) {
        jumpedAtMs = clock.monotonicMs();
        report({ kind: 'clock-jumped', byMs });
      }
      const nowMs = clock.monotonicMs();
      return {
        lookedAt: store.nowMs(),
        steadyMs: nowMs - Math.max(jumpedAtMs, knownSteadySinceMs),
        wasSet,
        watchedMs: nowMs - Math.max(jumpedAtMs, beganMs),
        hasWatched,
      };
    },
    with: (known, seen) => {
      const nowMs = clock.monotonicMs();
      knownSteadySinceMs = nowMs - known.steadyMs;
      return {
        ...seen,
        steadyMs: nowMs - Math.max(jumpedAtMs, knownSteadySinceMs),
        wasSet: seen.wasSet || known.wasSet,
      };
    },
    proven: (atMs) => {
      if (atMs <= provenMs) return;
      const lengthMs = atMs - provenMs - everyMs;
      if (lengthMs > 0) gaps = [...gaps.slice(1 - GAPS_MAX), { endedMs: clock.monotonicMs(), lengthMs }];
      provenMs = atMs;
    },
  };
}
