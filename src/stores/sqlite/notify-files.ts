/**
 * Processes of one host wake each other by writing one byte, unsynced, into a file that the others watch. A missed
 * notification is found by the next poll.
 */
import { closeSync, mkdirSync, openSync, watch, writeSync, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { orNull } from '../../foundation/or-null.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Topic } from '../store.ts';

export interface NotifyFiles {
  notify(offeredTo: Iterable<AgentId>, settled: boolean): void;
  /** Calls `notified` for each notification until `stop` is called. */
  listen(topic: Topic, notified: () => void): { stop(): void };
  close(): void;
}

/** The @ separates an agent called "settled" from the file of that name, and makes device names harmless. */
export function notifyFileName(topic: Topic): string {
  return topic.kind === 'settled' ? 'settled' : `@${topic.agent}`;
}

/** Above this number all files are closed, and reopened on use. */
const OPEN_MAX = 256;
const BYTE = new Uint8Array([1]);

export function notifyFilesIn(folder: string): NotifyFiles {
  const open = new Map<string, number>();
  // If nothing can be written here, the database reports that to its writers.
  orNull(() => mkdirSync(folder, { recursive: true, mode: 0o700 }));

  const opened = (name: string): number => {
    const known = open.get(name);
    if (known !== undefined) return known;
    if (open.size >= OPEN_MAX) closeAll();
    // Opening for appending creates a missing file; only another handle can write in place.
    closeSync(openSync(join(folder, name), 'a+', 0o600));
    const file = openSync(join(folder, name), 'r+');
    open.set(name, file);
    return file;
  };

  /** Never fails: the change is committed, and waiters that miss the notification find it by polling. */
  const touch = (name: string): void => {
    orNull(() => writeSync(opened(name), BYTE, 0, 1, 0));
  };

  const closeAll = (): void => {
    for (const file of open.values()) closeSync(file);
    open.clear();
  };

  return {
    notify: (offeredTo, settled) => {
      for (const agent of offeredTo) touch(notifyFileName({ kind: 'offers', agent }));
      if (settled) touch(notifyFileName({ kind: 'settled' }));
    },
    listen: (topic, notified) => {
      const watcher = watchFile(join(folder, notifyFileName(topic)), notified);
      return { stop: () => watcher?.close() };
    },
    close: closeAll,
  };
}

function watchFile(path: string, notified: () => void): FSWatcher | null {
  return orNull(() => {
    closeSync(openSync(path, 'a', 0o600));
    const watcher = watch(path, { persistent: false }, notified);
    watcher.on('error', () => watcher.close());
    return watcher;
  });
}
