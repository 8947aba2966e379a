/**
 * Time is passed in, so that a simulation can drive the real code.
 *
 * The wall clock gives dates and may jump. The monotonic clock measures leases and never jumps.
 */
import { machineClock } from './machine-clock.ts';

export interface Clock {
  /** Milliseconds since 1970, as people read them. */
  nowMs(): number;
  /** Milliseconds since some fixed instant of this boot, the same for every process of it. */
  monotonicMs(): number;
}

/** If the wall clock moved by more than this against the monotonic clock, it was set. */
export const JUMP_MS = 5_000;

/** Both clocks, read at the same moment. */
export interface ClockReading {
  /** The boot of the machine: monotonic clocks of two boots cannot be compared. Empty: unknown. */
  readonly boot: string;
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** The last stored reading. */
export interface ClockMark extends ClockReading {
  /** When the wall clock was last known to be set, by that clock. */
  readonly steadySinceMs: number;
}

export interface ClockObservation {
  /** For how long the wall clock was not set. */
  readonly steadyMs: number;
  /** The wall clock was set since the last reading. */
  readonly wasSet: boolean;
}

/**
 * Compares a reading with the last stored one. Within one boot the monotonic clock measures how much time has passed.
 * After a reboot that is unknown, unless the last reading is too recent for a jump. If unknown, the wall clock counts as
 * steady from now on, which makes leases end late and never early.
 */
export function nextClockMark(
  before: ClockMark | null,
  now: ClockReading,
): { mark: ClockMark; observation: ClockObservation } {
  const isSameBoot = before !== null && before.boot !== '' && before.boot === now.boot;
  const passedMs = isSameBoot ? now.monotonicMs - before.monotonicMs : 0;
  const isSteady = before !== null && Math.abs(now.wallMs - before.wallMs - passedMs) <= JUMP_MS;
  const steadySinceMs = isSteady ? before.steadySinceMs : now.wallMs;
  const observation = { steadyMs: now.wallMs - steadySinceMs, wasSet: isSameBoot && !isSteady };
  return { mark: { ...now, steadySinceMs }, observation };
}

export interface Timers {
  /** Resolves after `ms`, or at once when the signal is aborted. Never rejects. */
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
