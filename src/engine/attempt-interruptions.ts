/**
 * What ends an attempt before its handler does: its time is up, the session is lost, the worker must stop.
 *
 * One listener on each signal and one timer serve all attempts of a session. Signals and timers of their own would cost
 * every attempt more than all of its writing.
 */
import { OVER } from './attempt.ts';
import type { Context } from './context.ts';

export type Interruption = 'time-up' | 'lost' | 'given-up';

export interface Interruptions {
  /** Calls back at most once; what it answers ends the attendance. `untilMs` is monotonic time. */
  attend(untilMs: number, interrupt: (why: Interruption) => void): () => void;
  close(): void;
}

interface Attendance {
  readonly untilMs: number;
  readonly interrupt: (why: Interruption) => void;
}

export function interruptionsOf(
  { clock, timers }: Pick<Context, 'clock' | 'timers'>,
  { abort, lost }: { readonly abort: AbortSignal | undefined; readonly lost: AbortSignal },
): Interruptions {
  const attended = new Set<Attendance>();
  let alarm: { readonly atMs: number; readonly stop: AbortController } | null = null;

  const interrupt = (attendance: Attendance, why: Interruption): void => {
    if (attended.delete(attendance)) attendance.interrupt(why);
  };
  const interruptAll = (why: Interruption): void => {
    for (const attendance of attended) interrupt(attendance, why);
  };
  const silence = (): void => {
    const last = alarm;
    alarm = null;
    last?.stop.abort(OVER);
  };
  const whenLost = (): void => {
    interruptAll('lost');
    close();
  };
  const whenAborted = (): void => interruptAll('given-up');

  /** An alarm that is too early only looks and is set again; so it need not be moved when an attempt ends. */
  const setAlarm = (atMs: number): void => {
    if (atMs === Number.POSITIVE_INFINITY || (alarm !== null && alarm.atMs <= atMs)) return;
    silence();
    const mine = { atMs, stop: new AbortController() };
    alarm = mine;
    void timers.sleep(Math.max(0, atMs - clock.monotonicMs()), mine.stop.signal).then(() => {
      if (alarm !== mine) return;
      alarm = null;
      const nowMs = clock.monotonicMs();
      for (const attendance of attended) if (attendance.untilMs <= nowMs) interrupt(attendance, 'time-up');
      setAlarm(Math.min(...[...attended].map(({ untilMs }) => untilMs)));
    });
  };

  const close = (): void => {
    lost.removeEventListener('abort', whenLost);
    abort?.removeEventListener('abort', whenAborted);
    silence();
  };

  lost.addEventListener('abort', whenLost, { once: true });
  abort?.addEventListener('abort', whenAborted, { once: true });
  return {
    attend: (untilMs, onInterrupt) => {
      const attendance = { untilMs, interrupt: onInterrupt };
      attended.add(attendance);
      if (abort?.aborted === true) interrupt(attendance, 'given-up');
      else if (lost.aborted) interrupt(attendance, 'lost');
      else setAlarm(untilMs);
      return () => attended.delete(attendance);
    },
    close,
  };
}
