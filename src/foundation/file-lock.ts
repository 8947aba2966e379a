/**
 * A lock file: who holds a name, and whether the holder still does. Every machine and container that shares the file
 * system can hold it, so the file says who its holder is (`ProcessIdentity`). A holder that is provably gone loses the
 * lock at once. A holder that cannot be judged, or hangs, loses it after a lease without a sign of life: the holder touches
 * the file while it holds it, and a waiting process watches the file on its own monotonic clock. The age of the file is
 * never compared with a wall clock, which may have been set.
 *
 * The lock is a hard link to the holder's own file, so a lock never exists without its holder, and taking or dropping it
 * creates and deletes no file. Where many files have just been deleted, some systems take fifty times as long to make the
 * next one.
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
import { unlessMissing } from './or-null.ts';
import { codeOf } from './system-error-code.ts';
import { identityText, readIdentity, type ProcessIdentity, type ProcessJudge } from './process-identity.ts';

/** On a busy machine a living holder may be this late to touch its file. */
export const LOCK_LEASE_MS = 30_000;
/** How often a holder touches its file: several times within a lease. */
export const LOCK_BEAT_MS = 5_000;

export const HOLDER_ENDING = '.holder';

/** The file of one process. Its locks are hard links to this file. */
export interface LockHolder {
  readonly path: string;
  readonly inode: number;
  /** A sign of life for all locks of this holder. */
  touch(): void;
  remove(): void;
}

export interface SeenLock {
  readonly words: string;
  /** Null: an earlier version or another program wrote the lock. */
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
    touch: () => {
      const now = new Date();
      // A person may have removed the file; it is made again with the next lock.
      unlessMissing(() => utimesSync(path, now, now));
    },
    remove: () => remove(path),
  };
}

/** `no-holder`: our own file was removed, and `makeLockHolder` has to make another one. */
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

/** Does nothing when another process has the lock by now. */
export function dropLock(lock: string, holder: LockHolder): void {
  if (lstatSync(lock, { throwIfNoEntry: false })?.ino === holder.inode) remove(lock);
}

/** Null: the lock is free. */
export function seeLock(lock: string): SeenLock | null {
  return unlessMissing(() => {
    const words = readFileSync(lock, 'utf8');
    const { ino, mtimeMs } = statSync(lock);
    return { words, by: readIdentity(words.split('\n')[0] ?? ''), mark: `${ino} ${mtimeMs}`, touchedAt: mtimeMs };
  });
}

/** Watches one lock of another process: the function answers whether the holder has lost it. */
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

/** Two processes may find the same holder gone. The slower one may catch a new lock: it puts that one back. */
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
    // A third process took the lock meanwhile; the holder of the caught lock notices before its next write.
  } finally {
    remove(aside);
  }
}

function remove(path: string): void {
  unlessMissing(() => unlinkSync(path));
}
