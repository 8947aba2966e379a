/** Hints from the system that something has changed in a folder; where it gives none, the slow look finds it. */
import { lstatSync, watch, type FSWatcher } from 'node:fs';

export interface FolderWatch {
  /** Watches anew what was deleted and made again since: the old watch is of a folder that is gone. True: some were. */
  refresh(): boolean;
  close(): void;
}

interface Watched {
  readonly watcher: FSWatcher;
  /** A new folder may get the number of the one before it, but not its birth. */
  readonly identity: string;
}

export function watchFolders(
  folders: readonly string[],
  changed: (index: number, name: string | null) => void,
): FolderWatch {
  const watched = new Map<number, Watched>();

  const begin = (folder: string, index: number): boolean => {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found === undefined) return false;
    const identity = `${found.ino} ${found.birthtimeMs}`;
    if (watched.get(index)?.identity === identity) return false;
    watched.get(index)?.watcher.close();
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => changed(index, name));
      watcher.on('error', () => {
        watcher.close();
        if (watched.get(index)?.watcher === watcher) watched.delete(index);
      });
      watched.set(index, { watcher, identity });
      return true;
    } catch {
      return false;
    }
  };
  const refresh = (): boolean => folders.map(begin).includes(true);

  refresh();
  return {
    refresh,
    close: () => {
      for (const { watcher } of watched.values()) watcher.close();
      watched.clear();
    },
  };
}
