/**
 * Interrupts attempts: their time is up, the session is lost, or the worker must stop.
 *
 * One listener per signal and one timer serve all attempts of a session. A signal and a timer per attempt would cost more
 * than all its writes.
 */
import { NO_LONGER_NEEDED } from './attempt.ts';
import type { Context } from './context.ts';

export type Interruption = 'time-up' | 'lost' | 'given-up';

export type Interruptions = ReturnType<typeof interruptionsOf>;

interface WatchedAttempt {
  readonly untilMs: number;
  readonly interrupt: (why: Interruption) => void;
}

export function interruptionsOf(
  { clock, timers }: Pick<Context, 'clock' | 'timers'>,
  { abort, lost }: { readonly abort: AbortSignal | undefined; readonly lost: AbortSignal },
) {
  const watched = new Set<WatchedAttempt>();
  let timer: { readonly atMs: number; readonly stop: AbortController } | null = null;

  const interrupt = (attempt: WatchedAttempt, why: Interruption): void => {
    if (watched.delete(attempt)) attempt.interrupt(why);
  };
  const interruptAll = (why: Interruption): void => {
    for (const attempt of watched) interrupt(attempt, why);
  };
  const cancelTimer = (): void => {
    const last = timer;
    timer = null;
    last?.stop.abort(NO_LONGER_NEEDED);
  };
  const whenLost = (): void => {
    interruptAll('lost');
    close();
  };
  const whenAborted = (): void => interruptAll('given-up');

  /** A timer that fires too early is only set again, so it need not change when an attempt ends. */
  const setTimer = (atMs: number): void => {
    if (atMs === Number.POSITIVE_INFINITY || (timer !== null && timer.atMs <= atMs)) return;
    cancelTimer();
    const mine = { atMs, stop: new AbortController() };
    timer = mine;
    void timers.sleep(Math.max(0, atMs - clock.monotonicMs()), mine.stop.signal).then(() => {
      if (timer !== mine) return;
      timer = null;
      const nowMs = clock.monotonicMs();
      for (const attempt of watched) if (attempt.untilMs <= nowMs) interrupt(attempt, 'time-up');
      setTimer(Math.min(...[...watched].map(({ untilMs }) => untilMs)));
    });
  };

  const close = (): void => {
    lost.removeEventListener('abort', whenLost);
    abort?.removeEventListener('abort', whenAborted);
    cancelTimer();
  };

  lost.addEventListener('abort', whenLost, { once: true });
  abort?.addEventListener('abort', whenAborted, { once: true });
  return {
    /** Calls `interrupt` at most once. The returned function stops watching. `untilMs` is monotonic time. */
    watch: (untilMs: number, onInterrupt: (why: Interruption) => void) => {
      const attempt = { untilMs, interrupt: onInterrupt };
      watched.add(attempt);
      if (abort?.aborted === true) interrupt(attempt, 'given-up');
      else if (lost.aborted) interrupt(attempt, 'lost');
      else setTimer(untilMs);
      return () => watched.delete(attempt);
    },
    close,
  };
}
