/**
 * One thread in which everything asynchronous of the system under test takes turns. Who is next is drawn by the seed,
 * and time passes only when nobody is ready, so the same seed gives the same story.
 *
 * Between two turns all promises that can go on do so: their order is the language's, and always the same.
 */
import { assert } from '../../src/foundation/assert.ts';
import type { Clock, Timers } from '../../src/foundation/clock.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Trace } from './trace.ts';

/** Something that takes turns, one step at a time. */
export interface Strand {
  readonly name: string;
  mayRun(): 'now' | 'later' | 'never';
}

export interface Scheduler {
  readonly clock: Clock;
  /** Ends at a moment of the scheduler's choosing: before it, anybody else may have had any number of turns. */
  turn(strand: Strand, what: string): Promise<void>;
  timersOf(strand: Strand): Timers;
  /** Some who had to wait may run now. */
  recall(): void;
  /** Somebody sets the wall clock; no time passes. */
  setWallClock(byMs: number): void;
  run(isOver: () => boolean): Promise<void>;
}

interface Turn {
  readonly strand: Strand;
  readonly what: string;
  readonly take: () => void;
}

interface Alarm {
  readonly strand: Strand;
  readonly dueMs: number;
  readonly ring: () => void;
}

/** 1 January 2026, so that the times of records look like times. */
const BEGINNING = Date.UTC(2026, 0, 1);

export function openScheduler(random: SeededRandom, trace: Trace): Scheduler {
  const ready: Turn[] = [];
  const held: Turn[] = [];
  const alarms = new Set<Alarm>();
  let monotonicMs = 1_000_000;
  let wallMs = BEGINNING;

  const draw = (): Turn | null => {
    while (ready.length > 0) {
      const at = random.below(ready.length);
      const drawn = ready[at];
      const last = ready.pop();
      assert(drawn !== undefined && last !== undefined, 'the list was not empty');
      if (at < ready.length) ready[at] = last;
      const when = drawn.strand.mayRun();
      if (when === 'now') return drawn;
      if (when === 'later') held.push(drawn);
    }
    return null;
  };

  const letTimePass = (): void => {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const alarm of alarms) {
      if (alarm.strand.mayRun() === 'never') alarms.delete(alarm);
      else nextMs = Math.min(nextMs, alarm.dueMs);
    }
    assert(Number.isFinite(nextMs), 'somebody always waits for something');
    wallMs += nextMs - monotonicMs;
    monotonicMs = nextMs;
    for (const alarm of alarms) if (alarm.dueMs <= monotonicMs) alarm.ring();
  };

  const sleep = (strand: Strand, ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const wakeFor = (what: string) => (): void => {
        alarms.delete(alarm);
        signal?.removeEventListener('abort', cutShort);
        ready.push({ strand, what, take: resolve });
      };
      const cutShort = wakeFor('is woken');
      const alarm: Alarm = { strand, dueMs: monotonicMs + Math.ceil(ms), ring: wakeFor('wakes') };
      alarms.add(alarm);
      signal?.addEventListener('abort', cutShort, { once: true });
    });

  return {
    clock: { nowMs: () => wallMs, monotonicMs: () => monotonicMs },
    turn: (strand, what) => new Promise((resolve) => ready.push({ strand, what, take: resolve })),
    timersOf: (strand) => ({ sleep: (ms, signal) => sleep(strand, ms, signal) }),
    recall() {
      ready.push(...held.splice(0));
    },
    setWallClock(byMs) {
      wallMs += byMs;
    },
    async run(isOver) {
      for (;;) {
        await stillness();
        if (isOver()) return;
        const turn = draw();
        if (turn === null) {
          letTimePass();
          continue;
        }
        trace.note(monotonicMs, turn.strand.name, turn.what);
        turn.take();
      }
    },
  };
}

/** A tick that is asked for by a promise comes after all other promises have gone as far as they can. */
function stillness(): Promise<void> {
  return Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));
}
