/**
 * Finds out who holds the database lock while this process waits for it.
 *
 * A process that is stopped (SIGSTOP) during a commit keeps the lock, and no process can write. After a second of waiting
 * the holder is looked up. A stopped process of one of our sessions is continued, and stopped again as soon as this
 * process has the lock. No other holder gets a signal: the message names it and says what to do.
 */
import { elapsedMs } from '../../foundation/clock.ts';
import { orNull } from '../../foundation/or-null.ts';
import { statOf } from '../../foundation/process-identity.ts';
import { lockHolders, type LockHolder } from './lock-holders.ts';

export interface LockMonitor {
  /** The lock was refused again after waiting this long. */
  refused(waitedMs: number): void;
  /** This process has the write lock: a process that was continued is stopped again. */
  acquired(): void;
  /** The wait is given up. Returns a message that names the holder and says what to do. */
  gaveUp(): string;
}

export interface LockMonitorOptions {
  readonly path: string;
  /** Whether this living process belongs to one of the sessions in the database. */
  readonly isOurs: (pid: number) => boolean;
  /** Called once per wait and message. */
  readonly report: (says: string) => void;
}

/** A healthy queue of writers is shorter than this. */
const LOOK_AFTER_MS = 1_000;
const LOOK_EVERY_MS = 500;
/** A process stops within a few milliseconds of the signal. */
const STOP_PATIENCE_MS = 100;
const STOP_STEP_MS = 0.5;
/** Never notified: waiting on it is a short sleep. */
const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(4));

export function lockMonitor({ path, isOurs, report }: LockMonitorOptions): LockMonitor {
  const continued = new Map<number, LockHolder>();
  let lookedMs = Number.NEGATIVE_INFINITY;
  let lastReport: string | null = null;

  const reportOnce = (says: string): void => {
    if (says === lastReport) return;
    lastReport = says;
    report(says);
  };

  return {
    refused: (waitedMs) => {
      if (waitedMs < LOOK_AFTER_MS || elapsedMs() - lookedMs < LOOK_EVERY_MS) return;
      lookedMs = elapsedMs();
      const holders = lockHolders(path);
      for (const holder of holders ?? []) {
        if (holder.state !== 'T' || !isOurs(holder.pid) || !signal(holder.pid, 'SIGCONT')) continue;
        continued.set(holder.pid, holder);
        reportOnce(
          `process ${holder.pid} (${holder.command}) is stopped and keeps ${path} locked: it is continued until it releases the lock`,
        );
      }
      if (continued.size === 0) reportOnce(textOf(path, holders));
    },
    acquired: () => {
      lastReport = null;
      if (continued.size === 0) return;
      for (const holder of continued.values()) stopAgain(holder);
      continued.clear();
    },
    gaveUp: () => {
      // Without the lock no process can be stopped safely, so a continued process keeps running.
      continued.clear();
      lastReport = null;
      return textOf(path, lockHolders(path));
    },
  };
}

function stopAgain({ pid, startedAt }: LockHolder): void {
  // The process id may belong to another process by now.
  if (statOf(pid)?.startedAt !== startedAt || !signal(pid, 'SIGSTOP')) return;
  for (let waitedMs = 0; waitedMs < STOP_PATIENCE_MS && isRunning(pid); waitedMs += STOP_STEP_MS) {
    Atomics.wait(NEVER_NOTIFIED, 0, 0, STOP_STEP_MS);
  }
}

function isRunning(pid: number): boolean {
  const state = statOf(pid)?.state;
  return state !== undefined && state !== 'T' && state !== 'Z' && state !== 'X';
}

/** False: the process belongs to another user, or is gone. */
function signal(pid: number, name: 'SIGCONT' | 'SIGSTOP'): boolean {
  return orNull(() => process.kill(pid, name)) === true;
}

function textOf(path: string, holders: readonly LockHolder[] | null): string {
  const waiting = `waiting for the lock of ${path}`;
  if (holders === null) return `${waiting}: another process holds it; find out which with: lsof ${path}-shm`;
  const [first] = holders;
  if (first === undefined) return `${waiting}: many processes write at the same time`;
  return `${waiting}: ${holders.map(sentenceOf).join('; ')}`;
}

function sentenceOf({ pid, state, command }: LockHolder): string {
  const who = `process ${pid} (${command}) holds it`;
  switch (state) {
    case 'T':
      return `${who} and is stopped; continue it with: kill -CONT ${pid}, or end it with: kill -9 ${pid}`;
    case 't':
      return `${who} and is stopped by a debugger; let it go on there, or end it with: kill -9 ${pid}`;
    default:
      return `${who} (state ${state}); if it is frozen or hangs, thaw it or end it with: kill -9 ${pid}`;
  }
}
