/** Named locks over `file-lock.ts`: one process at a time for each name, and within a process one caller at a time. */
import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  dropLock,
  HOLDER_SUFFIX,
  isHolderGone,
  LOCK_HEARTBEAT_MS,
  LOCK_LEASE_MS,
  makeLockHolder,
  readLock,
  breakLock,
  takeLock,
  watchLock,
  type LockHolder,
} from '../foundation/file-lock.ts';
import { orNull } from '../foundation/or-null.ts';
import { ownJudge, type ProcessJudge } from '../foundation/process-identity.ts';

const POLL_MS = 2;
const WAIT_MAX_MS = 2 * LOCK_LEASE_MS;
/** Taking a lock also counts as a heartbeat, at most this often. */
const TOUCH_INTERVAL_MS = 1_000;
/** A lock of an unknown process is removed after this time. It is longer than a day, in case a wall clock is a day off. */
const ABANDONED_MS = 25 * 60 * 60_000;

export interface NameLockOptions {
  readonly judge?: ProcessJudge;
  readonly leaseMs?: number;
}

export function openNameLocks({ judge = ownJudge(), leaseMs = LOCK_LEASE_MS }: NameLockOptions = {}) {
  const queues = new Map<string, Promise<unknown>>();
  const holders = new Map<string, HeartbeatHolder>();
  const holderIn = (folder: string): HeartbeatHolder => {
    const known = holders.get(folder);
    if (known !== undefined && known.isThere()) return known;
    const made = withHeartbeat(makeLockHolder(folder, judge.self), Math.min(LOCK_HEARTBEAT_MS, leaseMs / 4));
    holders.set(folder, made);
    return made;
  };

  const underLock = async <Answer>(lock: string, act: () => Promise<Answer>): Promise<Answer> => {
    const untilMs = performance.now() + WAIT_MAX_MS;
    const isLost = watchLock(judge, { leaseMs });
    let own = holderIn(dirname(lock));
    while (!own.take(lock)) {
      const seen = readLock(lock);
      if (seen !== null && isLost(seen)) {
        breakLock(lock, seen);
      } else if (performance.now() > untilMs) {
        throw new Error(
          `${lock} is held for too long by ${seen?.holder === null || seen === null ? 'an unknown process' : `process ${seen.holder.pid} on ${seen.holder.host}`}`,
        );
      } else {
        await pause(POLL_MS * (0.5 + Math.random()));
      }
      own = holderIn(dirname(lock));
    }
    try {
      return await act();
    } finally {
      own.drop(lock);
    }
  };

  return {
    async with<Answer>(lock: string, act: () => Promise<Answer>) {
      const before = queues.get(lock) ?? Promise.resolve();
      const turn = before.then(() => underLock(lock, act));
      const settled = turn.catch(() => undefined);
      queues.set(lock, settled);
      try {
        return await turn;
      } finally {
        if (queues.get(lock) === settled) queues.delete(lock);
      }
    },
    close() {
      for (const holder of holders.values()) holder.remove();
      holders.clear();
    },
  };
}

type HeartbeatHolder = ReturnType<typeof withHeartbeat>;

/** Touches the file of the holder while it has a lock. */
function withHeartbeat(holder: LockHolder, intervalMs: number) {
  let isThere = true;
  let held = 0;
  let touchedMs = performance.now();
  let timer: NodeJS.Timeout | null = null;
  const touch = (): void => {
    touchedMs = performance.now();
    holder.touch();
  };
  return {
    /** False: its file was removed. */
    isThere: () => isThere,
    /** False: another holder has the lock. */
    take: (lock: string) => {
      // A waiting process must not mistake a lock that is taken again and again for an abandoned one.
      if (performance.now() - touchedMs > TOUCH_INTERVAL_MS) touch();
      const taken = takeLock(lock, holder);
      if (taken === 'no-holder') isThere = false;
      if (taken !== 'taken') return false;
      held += 1;
      timer ??= setInterval(touch, intervalMs).unref();
      return true;
    },
    drop: (lock: string) => {
      held -= 1;
      if (held === 0 && timer !== null) {
        clearInterval(timer);
        timer = null;
      }
      dropLock(lock, holder);
    },
    remove: () => holder.remove(),
  };
}

/** Removes what ended processes left: locks, moved locks and holder files. */
export function removeDeadLocks(folder: string, judge: ProcessJudge = ownJudge()): void {
  for (const name of deadLocksIn(folder, judge)) {
    const path = join(folder, name);
    if (!name.endsWith('.lock')) {
      // Another process may have removed it first.
      orNull(() => unlinkSync(path));
      continue;
    }
    const seen = readLock(path);
    if (seen !== null) breakLock(path, seen);
  }
}

const LOCK_FILE_NAME = new RegExp(`(?:\\.lock|\\.lock\\.[^.]+|\\${HOLDER_SUFFIX})$`);

export function deadLocksIn(folder: string, judge: ProcessJudge = ownJudge()): readonly string[] {
  return readdirSync(folder).filter((name) => {
    const path = join(folder, name);
    if (!LOCK_FILE_NAME.test(name) || lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    const seen = readLock(path);
    if (seen === null) return false;
    const isKnown = seen.holder !== null && judge.of(seen.holder) !== 'unknown';
    return isKnown ? isHolderGone(judge, seen) : Date.now() - seen.touchedAt > ABANDONED_MS;
  });
}
