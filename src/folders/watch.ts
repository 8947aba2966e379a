/** Watches folders by file-system events. Events are hints: polling finds what they miss. */
import { lstatSync, watch, type FSWatcher } from 'node:fs';

interface Watched {
  readonly watcher: FSWatcher;
  /** Inode and birth time: a new folder may get the inode of a deleted one. */
  readonly identity: string;
}

export function watchFolders(folders: readonly string[], changed: (index: number, name: string | null) => void) {
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
    /** Renews the watches of folders that were deleted and created again. True: there were some. */
    refresh,
    close: () => {
      for (const { watcher } of watched.values()) watcher.close();
      watched.clear();
    },
  };
}
