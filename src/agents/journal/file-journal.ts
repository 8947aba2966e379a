/** The journal over its files, with a lock for each agent: one process at a time types into a terminal. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Timers } from '../../foundation/clock.ts';
import {
  dropLock,
  isHolderGone,
  LOCK_HEARTBEAT_MS,
  makeLockHolder,
  readLock,
  breakLock,
  takeLock,
  watchLock,
  type LockState,
} from '../../foundation/file-lock.ts';
import type { ProcessJudge } from '../../foundation/process-identity.ts';
import type { AgentJournal } from '../agent-host.ts';
import { jsonIn } from '../json-fields.ts';
import { agentFolder, recordHook, NOTE_FILE, putFile, readEvents, STATUS_FILE, textOf } from './journal-lines.ts';

const LOCK_FILE = 'driver.lock';

export function fileJournal(privateFolder: string, judge: ProcessJudge, timers: Timers): AgentJournal {
  const folderOf = (agent: number): string => agentFolder(privateFolder, agent);
  const watches = new Map<number, (seen: LockState) => boolean>();
  return {
    record: async (agent, hook) => recordHook(folderOf(agent), hook, Date.now()),
    read: async (agent) => readEvents(folderOf(agent)),
    note: async (agent, note) => {
      if (note === null) rmSync(join(folderOf(agent), NOTE_FILE), { force: true });
      else putFile(folderOf(agent), NOTE_FILE, JSON.stringify(note));
    },
    statusLine: async (agent) => jsonIn(textOf(join(folderOf(agent), STATUS_FILE)) ?? ''),
    withLock: async (agent, drive) => {
      const folder = folderOf(agent);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const lock = join(folder, LOCK_FILE);
      const seen = readLock(lock);
      if (seen !== null) {
        const watch = watches.get(agent) ?? watchLock(judge);
        watches.set(agent, watch);
        if (!isHolderGone(judge, seen) && !watch(seen)) return false;
        breakLock(lock, seen);
      }
      const holder = makeLockHolder(folder, judge.self);
      const driven = new AbortController();
      try {
        if (takeLock(lock, holder) !== 'taken') return false;
        watches.delete(agent);
        void touchUntilAborted(() => holder.touch(), timers, driven.signal);
        await drive();
        return true;
      } finally {
        driven.abort('over');
        dropLock(lock, holder);
        holder.remove();
      }
    },
  };
}

async function touchUntilAborted(touch: () => void, timers: Timers, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    touch();
    await timers.sleep(LOCK_HEARTBEAT_MS, signal);
  }
}
