/** The journal over its files, with a lock for each agent: one process at a time types into a terminal. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Timers } from '../../foundation/clock.ts';
import {
  dropLock,
  isGone,
  LOCK_BEAT_MS,
  makeLockHolder,
  seeLock,
  takeAwayLock,
  takeLock,
  watchLock,
  type SeenLock,
} from '../../foundation/file-lock.ts';
import type { ProcessJudge } from '../../foundation/process-identity.ts';
import type { AgentJournal } from '../agent-host.ts';
import { jsonIn } from '../json-fields.ts';
import { agentFolder, hearHook, NOTE_FILE, putFile, readEvents, STATUS_FILE, textOf } from './journal-lines.ts';

const LOCK_FILE = 'driver.lock';

export function fileJournal(privateFolder: string, judge: ProcessJudge, timers: Timers): AgentJournal {
  const folderOf = (agent: number): string => agentFolder(privateFolder, agent);
  const watches = new Map<number, (seen: SeenLock) => boolean>();
  return {
    hear: async (agent, hook) => hearHook(folderOf(agent), hook, Date.now()),
    read: async (agent) => readEvents(folderOf(agent)),
    note: async (agent, note) => {
      if (note === null) rmSync(join(folderOf(agent), NOTE_FILE), { force: true });
      else putFile(folderOf(agent), NOTE_FILE, JSON.stringify(note));
    },
    statusLine: async (agent) => jsonIn(textOf(join(folderOf(agent), STATUS_FILE)) ?? ''),
    alone: async (agent, drive) => {
      const folder = folderOf(agent);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const lock = join(folder, LOCK_FILE);
      const seen = seeLock(lock);
      if (seen !== null) {
        const watch = watches.get(agent) ?? watchLock(judge);
        watches.set(agent, watch);
        if (!isGone(judge, seen) && !watch(seen)) return false;
        takeAwayLock(lock, seen);
      }
      const holder = makeLockHolder(folder, judge.self);
      const over = new AbortController();
      try {
        if (takeLock(lock, holder) !== 'taken') return false;
        watches.delete(agent);
        void beat(() => holder.touch(), timers, over.signal);
        await drive();
        return true;
      } finally {
        over.abort('over');
        dropLock(lock, holder);
        holder.remove();
      }
    },
  };
}

async function beat(touch: () => void, timers: Timers, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    touch();
    await timers.sleep(LOCK_BEAT_MS, signal);
  }
}
