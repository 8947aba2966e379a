/**
 * One of our processes at a time for one name. A symbolic link is made with what it says or not at all, so the lock is
 * never without its holder; nothing ever follows it.
 */
import { randomUUID } from 'node:crypto';
import { lstat, readdir, readlink, rename, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../foundation/error-code.ts';

/** A few writes of a small file: whoever takes longer has died, or hangs and will find that it was overtaken. */
const STALE_MS = 30_000;
const LOOK_AGAIN_MS = 2;
const PATIENCE_MS = 60_000;

export interface Alone {
  <Answer>(lock: string, act: () => Promise<Answer>): Promise<Answer>;
}

export function openAlone(): Alone {
  const queues = new Map<string, Promise<unknown>>();
  return async (lock, act) => {
    const before = queues.get(lock) ?? Promise.resolve();
    const turn = before.then(() => underLock(lock, act));
    const settled = turn.then(
      () => undefined,
      () => undefined,
    );
    queues.set(lock, settled);
    try {
      return await turn;
    } finally {
      if (queues.get(lock) === settled) queues.delete(lock);
    }
  };
}

async function underLock<Answer>(lock: string, act: () => Promise<Answer>): Promise<Answer> {
  const own = `${process.pid} ${randomUUID()}`;
  const untilMs = performance.now() + PATIENCE_MS;
  while (!(await take(lock, own))) {
    if (performance.now() > untilMs) throw new Error(`${lock} is held for too long`);
    await pause(LOOK_AGAIN_MS * (0.5 + Math.random()));
  }
  try {
    return await act();
  } finally {
    if ((await holderOf(lock)) === own) await unlink(lock).catch(() => undefined);
  }
}

async function take(lock: string, own: string): Promise<boolean> {
  try {
    await symlink(own, lock);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const holder = await holderOf(lock);
  if (holder !== null && (await isOver(lock, holder))) await takeAway(lock, holder);
  return false;
}

async function holderOf(lock: string): Promise<string | null> {
  try {
    return await readlink(lock);
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return null;
  }
}

async function isOver(lock: string, holder: string): Promise<boolean> {
  const pid = Number(holder.split(' ', 1)[0]);
  if (pid !== process.pid && !isRunning(pid)) return true;
  try {
    return Date.now() - (await lstat(lock)).mtimeMs > STALE_MS;
  } catch {
    return false;
  }
}

/** Of two who find it dead one is faster, and the other may have caught a new one: then it is put back. */
async function takeAway(lock: string, holder: string): Promise<void> {
  const aside = `${lock}.${process.pid}-${randomUUID()}`;
  try {
    await rename(lock, aside);
  } catch {
    return;
  }
  const caught = await holderOf(aside);
  if (caught === holder || caught === null) await unlink(aside).catch(() => undefined);
  else await rename(aside, lock);
}

const ASIDE = /\.lock\.(\d+)-[0-9a-f-]{36}$/;

/** What those who died have left: locks that nobody else came for, and what they had put aside. */
export async function forgetTheDead(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const pid = ASIDE.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) await unlink(path).catch(() => undefined);
    const holder = name.endsWith('.lock') ? await holderOf(path) : null;
    if (holder !== null && (await isOver(path, holder))) await takeAway(path, holder);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
