/**
 * How processes of one host wake each other: one byte, written in place and not synced, into a file that the others
 * watch. A bell that nobody hears costs a poll, never an answer.
 */
import { closeSync, mkdirSync, openSync, watch, writeSync, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import type { AgentId } from '../../domain/names.ts';
import type { Topic } from '../store.ts';

export interface NotifyFiles {
  ring(offeredTo: Iterable<AgentId>, settled: boolean): void;
  /** Calls `heard` on each ring of others until `stop` is called. */
  listen(topic: Topic, heard: () => void): { stop(): void };
  close(): void;
}

/** The @ keeps an agent called "settled" apart from the bell of that name, and device names harmless. */
export function notifyFileName(topic: Topic): string {
  return topic.kind === 'settled' ? 'settled' : `@${topic.agent}`;
}

/** Beyond this, bells are opened for one ring each. */
const OPEN_MAX = 256;
const BYTE = new Uint8Array([1]);

export function notifyFilesIn(folder: string): NotifyFiles {
  const open = new Map<string, number>();
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Nothing can be written here; whoever needs to hears of it from the database.
  }

  const ringOne = (name: string): void => {
    try {
      let file = open.get(name);
      if (file === undefined) {
        if (open.size >= OPEN_MAX) closeAll();
        file = openSync(join(folder, name), 'a+', 0o600);
        // Opened for appending so that it is made if missing; written in place through a second handle.
        closeSync(file);
        file = openSync(join(folder, name), 'r+');
        open.set(name, file);
      }
      writeSync(file, BYTE, 0, 1, 0);
    } catch {
      // The change is committed; those who did not hear of it will poll.
    }
  };

  const closeAll = (): void => {
    for (const file of open.values()) closeSync(file);
    open.clear();
  };

  return {
    ring: (offeredTo, settled) => {
      for (const agent of offeredTo) ringOne(notifyFileName({ kind: 'offers', agent }));
      if (settled) ringOne(notifyFileName({ kind: 'settled' }));
    },
    listen: (topic, heard) => {
      const watcher = watchBell(join(folder, notifyFileName(topic)), heard);
      return { stop: () => watcher?.close() };
    },
    close: closeAll,
  };
}

function watchBell(path: string, heard: () => void): FSWatcher | null {
  try {
    closeSync(openSync(path, 'a', 0o600));
    const watcher = watch(path, { persistent: false }, heard);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
