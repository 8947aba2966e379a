/**
 * A process of the simulated machine: it may crash (nothing of it ever runs again), be stopped (all of it waits and
 * then goes on, with stale knowledge) or hang (its event loop is busy, but the thread that beats is not).
 */
import type { ProcessIdentity } from '../../src/stores/store.ts';
import type { Scheduler, Strand } from './scheduler.ts';
import type { Trace } from './trace.ts';

export interface SimulatedProcess {
  readonly name: string;
  readonly identity: ProcessIdentity;
  readonly standsDuty: boolean;
  readonly startedAtMs: number;
  /** The event loop, and the thread that beats beside it. */
  readonly main: Strand;
  readonly heart: Strand;
  isOver(): boolean;
  isDisturbed(): boolean;
  isStopped(): boolean;
  overAtMs(): number | null;
  /** When something last happened to it from outside. */
  disturbedAtMs(): number;
  /** How long it could not do what it wanted to, all in all. */
  delayedMs(): number;
  delay(ms: number): void;
  end(why: 'crashes' | 'ends'): void;
  stop(forMs: number): void;
  hang(forMs: number): void;
}

export interface ProcessParts {
  readonly name: string;
  readonly identity: ProcessIdentity;
  readonly standsDuty: boolean;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly onOver: () => void;
}

export function startProcess(parts: ProcessParts): SimulatedProcess {
  const { name, scheduler, trace } = parts;
  const nowMs = (): number => scheduler.clock.monotonicMs();
  let overAtMs: number | null = null;
  let stoppedUntilMs = 0;
  let hungUntilMs = 0;
  let disturbedAtMs = nowMs();
  let delayedMs = 0;

  const outside: Strand = { name: `${name} (held)`, mayRun: () => (overAtMs === null ? 'now' : 'never') };
  const mayRun = (untilMs: () => number) => () => {
    if (overAtMs !== null) return 'never';
    return nowMs() < untilMs() ? 'later' : 'now';
  };
  const holdFor = (forMs: number, what: string): void => {
    trace.note(nowMs(), name, `${what} for ${forMs} ms`);
    disturbedAtMs = nowMs();
    delayedMs += forMs;
    void scheduler
      .timersOf(outside)
      .sleep(forMs)
      .then(() => {
        disturbedAtMs = nowMs();
        scheduler.recall();
      });
  };

  return {
    name,
    identity: parts.identity,
    standsDuty: parts.standsDuty,
    startedAtMs: nowMs(),
    main: { name, mayRun: mayRun(() => Math.max(stoppedUntilMs, hungUntilMs)) },
    heart: { name: `${name}'s heart`, mayRun: mayRun(() => stoppedUntilMs) },
    isOver: () => overAtMs !== null,
    isDisturbed: () => overAtMs !== null || nowMs() < Math.max(stoppedUntilMs, hungUntilMs),
    isStopped: () => overAtMs === null && nowMs() < stoppedUntilMs,
    overAtMs: () => overAtMs,
    disturbedAtMs: () => disturbedAtMs,
    delayedMs: () => delayedMs,
    delay(ms) {
      delayedMs += ms;
    },
    end(why) {
      if (overAtMs !== null) return;
      trace.note(nowMs(), name, why);
      overAtMs = nowMs();
      parts.onOver();
    },
    stop(forMs) {
      stoppedUntilMs = Math.max(stoppedUntilMs, nowMs() + forMs);
      holdFor(forMs, 'is stopped');
    },
    hang(forMs) {
      hungUntilMs = Math.max(hungUntilMs, nowMs() + forMs);
      holdFor(forMs, 'hangs');
    },
  };
}
