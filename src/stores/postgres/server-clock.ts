/**
 * Estimates the server's clock as an offset to our own monotonic clock, so that no wall clock of a client enters a record.
 *
 * Every answer with a server time limits the offset: the server read its clock after we sent and before we received. The
 * offset moves only when an answer contradicts it, and no further than necessary, so that time does not jitter. Where a
 * quick answer moves it back, because an earlier one was slow, time stands still until it is true again.
 */
export interface ServerClock {
  nowMs(): number;
  /** Our monotonic time, for `observe`. */
  elapsedMs(): number;
  observe(serverMs: number, sentAtMs: number): void;
  /** Whether the last answer is so old that the clocks may have drifted apart. */
  isStale(): boolean;
}

/** Clocks drift by some tens of microseconds a second: well below a millisecond in this time. */
const FRESH_MS = 10_000;
/** A step back by more than this means that the clock of the server was set back, and is followed. */
const STANDSTILL_MAX_MS = 1_000;

export function serverClock(elapsedMs: () => number = () => performance.now()): ServerClock {
  let offsetMs: number | null = null;
  let observedAtMs = -Infinity;
  let latestMs = -Infinity;
  return {
    nowMs: () => {
      const nowMs = Math.floor(elapsedMs() + (offsetMs ?? 0));
      if (nowMs > latestMs || latestMs - nowMs > STANDSTILL_MAX_MS) latestMs = nowMs;
      return latestMs;
    },
    elapsedMs,
    observe: (serverMs, sentAtMs) => {
      observedAtMs = elapsedMs();
      const least = serverMs - observedAtMs;
      // The server truncates to whole milliseconds.
      const most = serverMs + 1 - sentAtMs;
      offsetMs = offsetMs === null ? (least + most) / 2 : Math.min(Math.max(offsetMs, least), most);
    },
    isStale: () => elapsedMs() - observedAtMs > FRESH_MS,
  };
}
