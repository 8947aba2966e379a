/** One of our processes at a time for one name, and within a process one caller at a time: a queue in front of `file-lock.ts`. */
import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  dropLock,
  HOLDER_ENDING,
  isGone,
  LOCK_BEAT_MS,
  LOCK_LEASE_MS,
  makeLockHolder,
  seeLock,
  takeAwayLock,
  takeLock,
  watchLock,
  type LockHolder,
} from '../foundation/file-lock.ts';
import { orNull } from '../foundation/or-null.ts';
import { ownJudge, type ProcessJudge } from '../foundation/process-identity.ts';

const LOOK_AGAIN_MS = 2;
const PATIENCE_MS = 2 * LOCK_LEASE_MS;
/** A lock that is taken often shows a sign of life at most this often by being taken. */
const TOUCHED_MS = 1_000;
/** What nobody can judge is litter after this: longer than a wall clock that was set by a day can make it look. */
const LITTER_MS = 25 * 60 * 60_000;

export interface NameLocks {
  with<Answer>(lock: string, act: () => Promise<Answer>): Promise<Answer>;
  close(): void;
}

export interface NameLockOptions {
  readonly judge?: ProcessJudge;
  readonly leaseMs?: number;
}

export function openNameLocks({ judge = ownJudge(), leaseMs = LOCK_LEASE_MS }: NameLockOptions = {}): NameLocks {
  const queues = new Map<string, Promise<unknown>>();
  const holders = new Map<string, BeatingHolder>();
  const holderIn = (folder: string): BeatingHolder => {
    const known = holders.get(folder);
    if (known !== undefined && known.isThere()) return known;
    const made = beating(makeLockHolder(folder, judge.self), Math.min(LOCK_BEAT_MS, leaseMs / 4));
    holders.set(folder, made);
    return made;
  };

  const underLock = async <Answer>(lock: string, act: () => Promise<Answer>): Promise<Answer> => {
    const untilMs = performance.now() + PATIENCE_MS;
    const isLost = watchLock(judge, { leaseMs });
    let own = holderIn(dirname(lock));
    while (!own.take(lock)) {
      const seen = seeLock(lock);
      if (seen !== null && isLost(seen)) {
        takeAwayLock(lock, seen);
      } else if (performance.now() > untilMs) {
        throw new Error(
          `${lock} is held for too long by ${seen?.by === null || seen === null ? 'somebody' : `process ${seen.by.pid} on ${seen.by.host}`}`,
        );
      } else {
        await pause(LOOK_AGAIN_MS * (0.5 + Math.random()));
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
    async with(lock, act) {
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

interface BeatingHolder {
  /** False: somebody has removed its file. */
  isThere(): boolean;
  /** False: somebody else has the lock. */
  take(lock: string): boolean;
  drop(lock: string): void;
  remove(): void;
}

/** Shows signs of life for as long as a lock leads to it. */
function beating(holder: LockHolder, beatMs: number): BeatingHolder {
  let isThere = true;
  let held = 0;
  let touchedMs = performance.now();
  let timer: NodeJS.Timeout | null = null;
  const touch = (): void => {
    touchedMs = performance.now();
    holder.touch();
  };
  return {
    isThere: () => isThere,
    take: (lock) => {
      // Whoever waits must not take a lock that comes and goes for one that stands still.
      if (performance.now() - touchedMs > TOUCHED_MS) touch();
      const taken = takeLock(lock, holder);
      if (taken === 'no-holder') isThere = false;
      if (taken !== 'taken') return false;
      held += 1;
      timer ??= setInterval(touch, beatMs).unref();
      return true;
    },
    drop: (lock) => {
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

/** What the dead have left: locks that nobody else came for, what they had put aside, and who they were. */
export function removeDeadLocks(folder: string, judge: ProcessJudge = ownJudge()): void {
  for (const name of deadLocksIn(folder, judge)) {
    const path = join(folder, name);
    if (!name.endsWith('.lock')) {
      // Whoever was faster wanted the same.
      orNull(() => unlinkSync(path));
      continue;
    }
    const seen = seeLock(path);
    if (seen !== null) takeAwayLock(path, seen);
  }
}

const OURS = new RegExp(`(?:\\.lock|\\.lock\\.[^.]+|\\${HOLDER_ENDING})$`);

export function deadLocksIn(folder: string, judge: ProcessJudge = ownJudge()): readonly string[] {
  return readdirSync(folder).filter((name) => {
    const path = join(folder, name);
    if (!OURS.test(name) || lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    const seen = seeLock(path);
    if (seen === null) return false;
    const isKnown = seen.by !== null && judge.of(seen.by) !== 'unknown';
    return isKnown ? isGone(judge, seen) : Date.now() - seen.touchedAt > LITTER_MS;
  });
}
