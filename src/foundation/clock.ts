/**
 * Time is passed in, so that a simulation can drive the real code.
 *
 * The wall clock dates things and may jump; the monotonic clock measures leases and never does.
 */
export interface Clock {
  /** Milliseconds since 1970, as people read them. */
  nowMs(): number;
  /** Milliseconds since some fixed instant of this boot, the same for every process of it. */
  monotonicMs(): number;
}

export interface Timers {
  /** Ends after `ms`, or at once when the signal is aborted; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => Number(process.hrtime.bigint() / 1_000_000n),
};

/** What `performance.now()` tells; but the first use of that takes 2 ms of a start. */
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
