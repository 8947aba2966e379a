/**
 * The one lock file: who holds a name, and whether it still does. Every machine and container that shares the file
 * system can hold it, so the file says who its holder is (`ProcessIdentity`). A holder that is provably gone has lost it
 * at once. One that cannot be judged, or hangs, has lost it when it shows no sign of life for a lease: the holder touches
 * the file while it holds it, and whoever waits watches the file on its own monotonic clock. The age of the file is
 * never compared with a wall clock, which may have been set.
 *
 * The lock is a second name for the holder's own file: it is made with its holder or not at all, and neither making nor
 * dropping it makes or drops a file. Where many files have just been deleted, some systems take fifty times as long to
 * make the next one.
 */
import { randomUUID } from 'node:crypto';
import {
  linkSync,
  lstatSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf } from './system-error-code.ts';
import { identityText, readIdentity, type ProcessIdentity, type ProcessJudge } from './process-identity.ts';

/** Longer than a busy machine keeps a living holder from touching its file. */
export const LOCK_LEASE_MS = 30_000;
/** How often a holder touches its file: several times within a lease. */
export const LOCK_BEAT_MS = 5_000;

export const HOLDER_ENDING = '.holder';

/** The file of one process, of which its locks are second names. */
export interface LockHolder {
  readonly path: string;
  readonly inode: number;
  /** A sign of life, for all locks that lead to this file. */
  touch(): void;
  remove(): void;
}

export interface SeenLock {
  readonly words: string;
  /** Null: it was written by an earlier version, or by somebody else. */
  readonly by: ProcessIdentity | null;
  /** Changes with every sign of life, and with every holder. */
  readonly mark: string;
  readonly touchedAt: number;
}

export function makeLockHolder(folder: string, self: ProcessIdentity): LockHolder {
  const path = join(folder, `${randomUUID()}${HOLDER_ENDING}`);
  writeFileSync(path, `${identityText(self)}\n${randomUUID()}\n`, { flag: 'wx', mode: 0o600 });
  return {
    path,
    inode: statSync(path).ino,
    touch: () => touch(path),
    remove: () => remove(path),
  };
}

/** Whether the lock is ours now. `no-holder`: somebody has removed our own file, and it has to be made anew. */
export function takeLock(lock: string, holder: LockHolder): 'taken' | 'held' | 'no-holder' {
  try {
    linkSync(holder.path, lock);
    return 'taken';
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'held';
    if (codeOf(error) === 'ENOENT') return 'no-holder';
    throw error;
  }
}

function isLockOf(lock: string, holder: LockHolder): boolean {
  return lstatSync(lock, { throwIfNoEntry: false })?.ino === holder.inode;
}

/** Nothing happens when somebody else has it by now. */
export function dropLock(lock: string, holder: LockHolder): void {
  if (isLockOf(lock, holder)) remove(lock);
}

/** Null: nobody holds it. */
export function seeLock(lock: string): SeenLock | null {
  try {
    const words = readFileSync(lock, 'utf8');
    const { ino, mtimeMs } = statSync(lock);
    return { words, by: readIdentity(words.split('\n')[0] ?? ''), mark: `${ino} ${mtimeMs}`, touchedAt: mtimeMs };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Watches one lock that somebody else holds: answers whether its holder has lost it. */
export function watchLock(
  judge: ProcessJudge,
  { leaseMs = LOCK_LEASE_MS, elapsedMs = () => performance.now() }: LockWatchOptions = {},
): (seen: SeenLock) => boolean {
  let mark = '';
  let sinceMs = 0;
  return (seen) => {
    if (isGone(judge, seen)) return true;
    const nowMs = elapsedMs();
    if (seen.mark !== mark) [mark, sinceMs] = [seen.mark, nowMs];
    return nowMs - sinceMs >= leaseMs;
  };
}

export interface LockWatchOptions {
  readonly leaseMs?: number;
  readonly elapsedMs?: () => number;
}

export function isGone(judge: ProcessJudge, { by }: SeenLock): boolean {
  return by !== null && judge.of(by) === 'gone';
}

/** Of two who find the same holder gone one is faster, and the other may have caught a new lock: then it is put back. */
export function takeAwayLock(lock: string, judged: SeenLock): void {
  const aside = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, aside);
  } catch {
    return;
  }
  try {
    const caught = seeLock(aside);
    if (caught !== null && caught.words !== judged.words) linkSync(aside, lock);
  } catch {
    // A third one was faster still; the holder of the caught one finds out before it writes again.
  } finally {
    remove(aside);
  }
}

function touch(path: string): void {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch (error) {
    // Removed by somebody who tidies up; it is made anew with the next lock.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
