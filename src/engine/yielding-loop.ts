/**
 * For long loops. Work on files and on SQLite never waits, so a loop over many of them would keep the event loop from
 * everything else: signals, timers, requests.
 */
import type { Context } from './context.ts';

/** Others get their turn after this much work. */
const TURN_MS = 20;
const NEVER = new AbortController().signal;

export interface YieldingLoop {
  isStopped(): boolean;
  /** Asked before each step: lets others have their turn when it is time, and answers whether to go on. */
  goOn(): Promise<boolean>;
}

export function yieldingLoop(
  { clock, timers }: Pick<Context, 'clock' | 'timers'>,
  signal: AbortSignal = NEVER,
): YieldingLoop {
  let turnMs = clock.monotonicMs();
  return {
    isStopped: () => signal.aborted,
    goOn: async () => {
      if (!signal.aborted && clock.monotonicMs() - turnMs >= TURN_MS) {
        await timers.sleep(0);
        turnMs = clock.monotonicMs();
      }
      return !signal.aborted;
    },
  };
}
