/**
 * Lets long loops yield to the event loop. Work on files and on SQLite is synchronous, so a long loop would block signals,
 * timers and requests.
 */
import type { Context } from './context.ts';

/** Yields after this much work. */
const TURN_MS = 20;
const NEVER = new AbortController().signal;

export type YieldingLoop = ReturnType<typeof yieldingLoop>;

export function yieldingLoop({ clock, timers }: Pick<Context, 'clock' | 'timers'>, signal: AbortSignal = NEVER) {
  let turnMs = clock.monotonicMs();
  return {
    isStopped: () => signal.aborted,
    /** Call this before each step: yields when it is time. False: the loop must stop. */
    nextTurn: async () => {
      if (!signal.aborted && clock.monotonicMs() - turnMs >= TURN_MS) {
        await timers.sleep(0);
        turnMs = clock.monotonicMs();
      }
      return !signal.aborted;
    },
  };
}
