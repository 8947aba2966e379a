/**
 * One of our processes at a time for one name. A symbolic link is made with what it says or not at all, so the lock is
 * never without its holder; nothing ever follows it.
 */
import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
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
  while (!take(lock, own)) {
    if (performance.now() > untilMs) throw new Error(`${lock} is held for too long`);
    await pause(LOOK_AGAIN_MS * (0.5 + Math.random()));
  }
  try {
    return await act();
  } finally {
    if (holderOf(lock) === own) remove(lock);
  }
}

function take(lock: string, own: string): boolean {
  try {
    symlinkSync(own, lock);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const holder = holderOf(lock);
  if (holder !== null && isOver(lock, holder)) takeAway(lock, holder);
  return false;
}

function holderOf(lock: string): string | null {
  try {
    return readlinkSync(lock);
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return null;
  }
}

function isOver(lock: string, holder: string): boolean {
  const pid = Number(holder.split(' ', 1)[0]);
  if (pid !== process.pid && !isRunning(pid)) return true;
  const found = lstatSync(lock, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
}

/** Of two who find it dead one is faster, and the other may have caught a new one: then it is put back. */
function takeAway(lock: string, holder: string): void {
  const aside = `${lock}.${process.pid}-${randomUUID()}`;
  try {
    renameSync(lock, aside);
  } catch {
    return;
  }
  const caught = holderOf(aside);
  if (caught === holder || caught === null) remove(aside);
  else renameSync(aside, lock);
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Whoever was faster wanted the same.
  }
}

const ASIDE = /\.lock\.(\d+)-[0-9a-f-]{36}$/;

/** What those who died have left: locks that nobody else came for, and what they had put aside. */
export function forgetTheDead(folder: string): void {
  for (const name of deadIn(folder)) {
    const path = join(folder, name);
    if (ASIDE.test(name)) remove(path);
    else takeAway(path, holderOf(path) ?? '');
  }
}

export function deadIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => {
    const pid = ASIDE.exec(name)?.[1];
    if (pid !== undefined) return !isRunning(Number(pid));
    const holder = name.endsWith('.lock') ? holderOf(join(folder, name)) : null;
    return holder !== null && isOver(join(folder, name), holder);
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
