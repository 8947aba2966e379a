/** Hints from the system that something has changed in a folder; where it gives none, the slow look finds it. */
import { watch, type FSWatcher } from 'node:fs';

export function watchFolders(
  folders: readonly string[],
  changed: (index: number, name: string | null) => void,
): { close(): void } {
  const watchers = folders.flatMap((folder, index): readonly FSWatcher[] => {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => changed(index, name));
      watcher.on('error', () => watcher.close());
      return [watcher];
    } catch {
      return [];
    }
  });
  return {
    close: () => {
      for (const watcher of watchers) watcher.close();
    },
  };
}
