/**
 * One of our processes at a time for one name. The lock is one more name for a file that says who we are: it is made
 * with its holder or not at all, and neither making nor dropping it makes or drops a file. That matters: where many files
 * have just been deleted, some systems take fifty times as long to make the next one.
 */
import { randomUUID } from 'node:crypto';
import {
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../foundation/error-code.ts';

/** A few writes of a small file: whoever takes longer has died, or hangs and will find that it was overtaken. */
const STALE_MS = 30_000;
/** A lock is as old as the file it leads to, or younger by this. */
const SAME_FILE_MS = 5_000;
const LOOK_AGAIN_MS = 2;
const PATIENCE_MS = 60_000;

export interface Alone {
  with<Answer>(lock: string, act: () => Promise<Answer>): Promise<Answer>;
  close(): void;
}

export function openAlone(): Alone {
  const queues = new Map<string, Promise<unknown>>();
  let own: Holder | null = null;
  const holder = (folder: string): Holder => {
    if (own === null || dirname(own.path) !== folder || Date.now() - own.madeAt > SAME_FILE_MS) {
      if (own !== null) remove(own.path);
      own = makeHolder(folder);
    }
    return own;
  };
  return {
    async with(lock, act) {
      const before = queues.get(lock) ?? Promise.resolve();
      const turn = before.then(() => underLock(lock, () => holder(dirname(lock)), act));
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
    },
    close() {
      if (own !== null) remove(own.path);
      own = null;
    },
  };
}

interface Holder {
  readonly path: string;
  readonly number: number;
  madeAt: number;
}

function makeHolder(folder: string): Holder {
  const says = `${process.pid}-${randomUUID()}`;
  const path = join(folder, `${says}.holder`);
  writeFileSync(path, says, { flag: 'wx' });
  return { path, number: statSync(path).ino, madeAt: Date.now() };
}

async function underLock<Answer>(lock: string, holder: () => Holder, act: () => Promise<Answer>): Promise<Answer> {
  const untilMs = performance.now() + PATIENCE_MS;
  let own = holder();
  while (!take(lock, own)) {
    if (performance.now() > untilMs) throw new Error(`${lock} is held for too long`);
    await pause(LOOK_AGAIN_MS * (0.5 + Math.random()));
    own = holder();
  }
  try {
    return await act();
  } finally {
    if (lstatSync(lock, { throwIfNoEntry: false })?.ino === own.number) remove(lock);
  }
}

function take(lock: string, own: Holder): boolean {
  try {
    linkSync(own.path, lock);
    return true;
  } catch (error) {
    // Somebody has cleared up too well: the next one is made anew.
    if (codeOf(error) === 'ENOENT') own.madeAt = 0;
    else if (codeOf(error) !== 'EEXIST') throw error;
  }
  const holder = holderOf(lock);
  if (holder !== null && isOver(lock, holder)) takeAway(lock, holder);
  return false;
}

/** Null: there is no such lock any more. */
function holderOf(lock: string): string | null {
  try {
    return readFileSync(lock, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function isOver(lock: string, holder: string): boolean {
  const pid = Number.parseInt(holder, 10);
  if (pid !== process.pid && !isRunning(pid)) return true;
  const found = lstatSync(lock, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS + SAME_FILE_MS;
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
  try {
    if (caught !== holder && caught !== null) linkSync(aside, lock);
  } finally {
    remove(aside);
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Whoever was faster wanted the same.
  }
}

const OF_PROCESS = /^(?:.*\.lock\.)?(\d+)-[0-9a-f-]{36}(?:\.holder)?$/;

/** What those who died have left: locks that nobody else came for, what they had put aside, and who they were. */
export function forgetTheDead(folder: string): void {
  for (const name of deadIn(folder)) {
    const path = join(folder, name);
    if (OF_PROCESS.test(name)) remove(path);
    else takeAway(path, holderOf(path) ?? '');
  }
}

export function deadIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => {
    const pid = OF_PROCESS.exec(name)?.[1];
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
