import type { Clock, Timers } from '../foundation/clock.ts';

/** A clock that stands still until a test moves it. */
export interface TestClock {
  /** The current time of the test. */
  now(): Date;
  /**
   * Lets this many milliseconds pass. Whatever becomes due meanwhile happens at its time and in its order; when this comes
   * back, workers have had their turn.
   */
  advance(ms: number): Promise<void>;
}

/** The same for the engine. */
export interface EngineTime extends Clock, Timers {
  /** Calls `act` after each step of time, before sleepers wake. Returns a function that stops this. */
  beforeEachStep(act: () => void): () => void;
  /** Advances the time in one step: everything that became due meanwhile happens only then. */
  jump(ms: number): Promise<void>;
}

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** Rounds of the event loop per step: more than a retry with its effects takes. */
const EVENT_LOOP_ROUNDS = 20;
/** Polling never ends: a day in steps of a quarter of a second is below this. */
const STEPS_MAX = 1_000_000;

export function openTestClock(begin: Date): { readonly clock: TestClock; readonly time: EngineTime } {
  const beganMs = begin.getTime();
  let nowMs = beganMs;
  const sleepers = new Set<Sleeper>();
  const acts = new Set<() => void>();

  const step = async (untilMs: number): Promise<boolean> => {
    return stepTo(untilMs, Math.max(nowMs, Math.min(untilMs, ...[...sleepers].map(({ atMs }) => atMs))));
  };
  const stepTo = async (untilMs: number, nextMs: number): Promise<boolean> => {
    nowMs = nextMs;
    for (const act of acts) act();
    const due = [...sleepers].filter(({ atMs }) => atMs <= nowMs);
    for (const { wake } of due) wake();
    await eventLoopRounds();
    return nowMs >= untilMs && due.length === 0;
  };
  return {
    clock: {
      now: () => new Date(nowMs),
      advance: async (ms) => {
        if (!Number.isInteger(ms) || ms < 0) throw new RangeError(`advance ${ms}: a whole number from 0 on`);
        const untilMs = nowMs + ms;
        await eventLoopRounds();
        for (let steps = 0; !(await step(untilMs)); steps += 1) {
          if (steps > STEPS_MAX) throw new Error(`more than ${STEPS_MAX} steps; advance the clock by less`);
        }
      },
    },
    time: {
      nowMs: () => nowMs,
      monotonicMs: () => nowMs - beganMs,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          const sleeper: Sleeper = {
            // A pause with chance in it has fractions; the time of day has none.
            atMs: nowMs + Math.ceil(ms),
            wake: () => {
              sleepers.delete(sleeper);
              signal?.removeEventListener('abort', sleeper.wake);
              resolve();
            },
          };
          if (signal?.aborted === true) return resolve();
          sleepers.add(sleeper);
          return signal?.addEventListener('abort', sleeper.wake, { once: true });
        }),
      jump: async (ms) => void (await stepTo(nowMs + ms, nowMs + ms)),
      beforeEachStep: (act) => {
        acts.add(act);
        return () => void acts.delete(act);
      },
    },
  };
}

async function eventLoopRounds(): Promise<void> {
  for (let round = 0; round < EVENT_LOOP_ROUNDS; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
