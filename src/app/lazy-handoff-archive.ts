/** The archive of removed handoffs, opened with the first removal: no other command needs it. */
import { lazyMethods } from '../foundation/lazy-methods.ts';
import type { HandoffArchive } from '../folders/folder.ts';

export function lazyHandoffArchive(folder: string): HandoffArchive {
  let opened: HandoffArchive | null = null;
  const archive = async (): Promise<HandoffArchive> => {
    const { openHandoffArchive } = await import('../folders/handoff-archive.ts');
    opened ??= openHandoffArchive(folder);
    return opened;
  };
  return {
    ...lazyMethods(archive, ['list', 'write', 'withLock']),
    async *read(name) {
      yield* (await archive()).read(name);
    },
    close: () => opened?.close(),
  };
}
