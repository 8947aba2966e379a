/**
 * Lock files. Every machine and container that shares the file system can take a lock, so the file names its holder
 * (`ProcessIdentity`). A holder that is provably gone loses the lock at once. A holder that hangs, or runs on another
 * machine, loses it after a lease without a heartbeat: the holder touches the file while it holds the lock, and a waiting
 * process measures the time since the last change with its own monotonic clock. The age of the file is never compared
 * with a wall clock, which may have been set.
 *
 * The lock is a hard link to the holder's own file, so a lock never exists without its holder, and taking or releasing a
 * lock creates and deletes no file. Where many files were just deleted, some file systems take fifty times as long to
 * create the next one.
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

/** On a busy machine a live holder may touch its file this late. */
export const LOCK_LEASE_MS = 30_000;
/** How often a holder touches its file: several times within a lease. */
export const LOCK_HEARTBEAT_MS = 5_000;

export const HOLDER_SUFFIX = '.holder';

/** The file of one process. Its locks are hard links to it. */
export type LockHolder = ReturnType<typeof makeLockHolder>;

export interface LockState {
  readonly text: string;
  /** Null: an older version or another program wrote the lock. */
  readonly holder: ProcessIdentity | null;
  /** Changes with every heartbeat and with every holder. */
  readonly mark: string;
  readonly touchedAt: number;
}

export function makeLockHolder(folder: string, self: ProcessIdentity) {
  const path = join(folder, `${randomUUID()}${HOLDER_SUFFIX}`);
  writeFileSync(path, `${identityText(self)}\n${randomUUID()}\n`, { flag: 'wx', mode: 0o600 });
  return {
    path,
    inode: statSync(path).ino,
    /** The heartbeat for all locks of this holder. */
    touch: () => {
      const now = new Date();
      // A person may have removed the file; the next lock makes it again.
      unlessMissing(() => utimesSync(path, now, now));
    },
    remove: () => remove(path),
  };
}

/** `no-holder`: the holder's file was removed, and `makeLockHolder` has to make another one. */
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

/** Does nothing if another process has the lock by now. */
export function dropLock(lock: string, holder: LockHolder): void {
  if (lstatSync(lock, { throwIfNoEntry: false })?.ino === holder.inode) remove(lock);
}

/** Null: the lock is free. */
export function readLock(lock: string): LockState | null {
  return unlessMissing(() => {
    const text = readFileSync(lock, 'utf8');
    const { ino, mtimeMs } = statSync(lock);
    return { text, holder: readIdentity(text.split('\n')[0] ?? ''), mark: `${ino} ${mtimeMs}`, touchedAt: mtimeMs };
  });
}

/**
 * Watches one lock of another process. The function returns whether the holder has lost it. A long time between two looks
 * counts only in part: a watcher that was stopped itself must not judge the silence of others by it.
 */
export function watchLock(
  judge: ProcessJudge,
  { leaseMs = LOCK_LEASE_MS, elapsedMs = () => performance.now() }: LockWatchOptions = {},
): (seen: LockState) => boolean {
  let mark = '';
  let lookedMs = 0;
  let silentMs = 0;
  return (seen) => {
    if (isHolderGone(judge, seen)) return true;
    const nowMs = elapsedMs();
    silentMs = seen.mark === mark ? silentMs + Math.min(nowMs - lookedMs, leaseMs / LOOKS_PER_LEASE) : 0;
    [mark, lookedMs] = [seen.mark, nowMs];
    return silentMs >= leaseMs;
  };
}

/** At least this many looks find a lock abandoned. */
const LOOKS_PER_LEASE = 4;

export interface LockWatchOptions {
  readonly leaseMs?: number;
  readonly elapsedMs?: () => number;
}

export function isHolderGone(judge: ProcessJudge, { holder: by }: LockState): boolean {
  return by !== null && judge.of(by) === 'gone';
}

/** Two processes may find the same holder gone. The slower one may move away a new lock; then it puts that lock back. */
export function breakLock(lock: string, judged: LockState): void {
  const aside = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, aside);
  } catch {
    return;
  }
  try {
    const caught = readLock(aside);
    if (caught !== null && caught.text !== judged.text) linkSync(aside, lock);
  } catch {
    // A third process took the lock meanwhile. The holder of the moved lock notices before its next write.
  } finally {
    remove(aside);
  }
}

function remove(path: string): void {
  unlessMissing(() => unlinkSync(path));
}
