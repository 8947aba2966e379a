/** Stops processes for tests, at a moment of the test's choice. */
import { statOf } from '../../src/foundation/process-identity.ts';
import type { DatabaseAddress } from '../../src/workspace/database-address.ts';
import { lockHolders } from '../../src/stores/sqlite/lock-holders.ts';
import { until, type Running } from './processes.ts';

export function isStopped(pid: number): boolean {
  return statOf(pid)?.state === 'T';
}

/** Whether it holds a lock that keeps others out of the database. */
export function holdsLock(pid: number, database: DatabaseAddress): boolean {
  if (database.kind !== 'sqlite') return false;
  return lockHolders(database.path)?.some((holder) => holder.pid === pid) ?? false;
}

export async function stop(running: Running): Promise<void> {
  running.signal('SIGSTOP');
  await until(`process ${running.pid} is stopped`, () => isStopped(running.pid));
}

/** Whoever waited for its lock may stop it again in the same moment. */
export async function goOn(running: Running): Promise<void> {
  await until(`process ${running.pid} goes on`, () => {
    running.signal('SIGCONT');
    return !isStopped(running.pid);
  });
}

/**
 * A process that is stopped with the write lock is continued for a moment by whoever needs it, and would use that
 * moment. This one is not: it is stopped between two of its transactions.
 */
export async function stopWithoutLock(running: Running, database: DatabaseAddress): Promise<void> {
  await until(`process ${running.pid} is stopped and holds no lock`, async () => {
    await stop(running);
    if (!holdsLock(running.pid, database)) return true;
    await goOn(running);
    return false;
  });
}

const STOP_ITSELF = `
  import { open } from 'node:fs/promises';
  const file = await open(process.execPath);
  const handles = Object.getPrototypeOf(file);
  await file.close();
  const { write } = handles;
  let count = 0;
  handles.write = function (...given) {
    count += 1;
    if (count === 2) process.kill(process.pid, 'SIGSTOP');
    return write.apply(this, given);
  };`;

/**
 * The environment of a process that stops itself before it writes to an open file for the second time: a test finds it
 * in the middle, however slow or fast the machine is.
 */
export const STOPS_IN_THE_MIDDLE = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(STOP_ITSELF)}` };

export async function untilStopped(running: Running): Promise<void> {
  await until(`process ${running.pid} has stopped itself`, () => isStopped(running.pid));
}
