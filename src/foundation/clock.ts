/**
 * Time is passed in, so that a simulation can drive the real code.
 *
 * The wall clock dates things and may jump; the monotonic clock measures leases and never does.
 */
import { machineClock } from './machine-clock.ts';

export interface Clock {
  /** Milliseconds since 1970, as people read them. */
  nowMs(): number;
  /** Milliseconds since some fixed instant of this boot, the same for every process of it. */
  monotonicMs(): number;
}

/** A wall clock that moves by more than this between two looks has been set, not run. */
export const JUMP_MS = 5_000;

/** Both clocks as they were read together. */
export interface ClockReading {
  /** The boot of the machine: monotonic clocks of two boots cannot be compared. Empty: unknown. */
  readonly boot: string;
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** The last stored reading. */
export interface ClockMark extends ClockReading {
  /** Since when the wall clock was not set, as far as is known; by that clock. */
  readonly steadySinceMs: number;
}

export interface ClockLook {
  /** For how long the wall clock was not set. */
  readonly steadyMs: number;
  /** It has been set since the last look. */
  readonly wasSet: boolean;
}

/**
 * Compares a reading with the last stored one. Within one boot the monotonic clock tells how much time has passed. After
 * another boot that is unknown, unless the last reading is so fresh that there was no time for a jump; then the wall clock
 * counts as steady from now on, which makes leases end late and never early.
 */
export function nextClockMark(before: ClockMark | null, now: ClockReading): { mark: ClockMark; look: ClockLook } {
  const isSameBoot = before !== null && before.boot !== '' && before.boot === now.boot;
  const passedMs = isSameBoot ? now.monotonicMs - before.monotonicMs : 0;
  const isSteady = before !== null && Math.abs(now.wallMs - before.wallMs - passedMs) <= JUMP_MS;
  const steadySinceMs = isSteady ? before.steadySinceMs : now.wallMs;
  const look = { steadyMs: now.wallMs - steadySinceMs, wasSet: isSameBoot && !isSteady };
  return { mark: { ...now, steadySinceMs }, look };
}

export interface Timers {
  /** Ends after `ms`, or at once when the signal is aborted; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const readMachineClock = machineClock();

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => Number(readMachineClock() / 1_000_000n),
};

/** Like `performance.now()`, whose first use takes 2 ms. */
export function elapsedMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

export const systemTimers: Timers = {
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end, { once: true });
    }),
};
