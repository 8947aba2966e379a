import type { Clock } from '../../src/foundation/clock.ts';

export interface ManualClock extends Clock {
  /** Time passes, by both clocks. */
  advance(ms: number): void;
  /** Somebody sets the wall clock; no time passes. */
  turn(ms: number): void;
}

/** 1 January 2026, so that the times of records look like times. */
const BEGINNING = Date.UTC(2026, 0, 1);

export function manualClock(): ManualClock {
  let wallMs = BEGINNING;
  let monotonicMs = 1_000_000;
  return {
    nowMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    advance(ms) {
      wallMs += ms;
      monotonicMs += ms;
    },
    turn(ms) {
      wallMs += ms;
    },
  };
}
