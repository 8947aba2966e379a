/**
 * The server's clock, read here without asking it each time: an offset to our own monotonic clock, so that no wall
 * clock of a client ever enters a record.
 *
 * Every answer with a server time narrows the offset down: the server read its clock after we sent and before we
 * received. The offset moves only when an answer contradicts it, and then no further than it must, so that time
 * neither jitters nor runs backwards by the half of a round trip.
 */
export interface ServerClock {
  nowMs(): number;
  /** Our monotonic time, for `heard`. */
  elapsedMs(): number;
  heard(serverMs: number, sentAtMs: number): void;
  /** Whether the last answer is so old that the clocks may have drifted apart. */
  isStale(): boolean;
}

/** Clocks drift by some tens of microseconds a second: well below a millisecond in this time. */
const FRESH_MS = 10_000;

export function serverClock(elapsedMs: () => number = () => performance.now()): ServerClock {
  let offsetMs: number | null = null;
  let heardAtMs = -Infinity;
  return {
    nowMs: () => Math.floor(elapsedMs() + (offsetMs ?? 0)),
    elapsedMs,
    heard: (serverMs, sentAtMs) => {
      heardAtMs = elapsedMs();
      const least = serverMs - heardAtMs;
      // The server tells whole milliseconds; the rest of the one it is in has been cut off.
      const most = serverMs + 1 - sentAtMs;
      offsetMs = offsetMs === null ? (least + most) / 2 : Math.min(Math.max(offsetMs, least), most);
    },
    isStale: () => elapsedMs() - heardAtMs > FRESH_MS,
  };
}
