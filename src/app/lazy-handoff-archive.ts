/** The archive of removed handoffs, opened by whoever removes some: no other command needs it. */
import type { HandoffArchive } from '../folders/folder.ts';

export function lazyHandoffArchive(folder: string): HandoffArchive {
  let opened: HandoffArchive | null = null;
  const archive = async (): Promise<HandoffArchive> => {
    const { openHandoffArchive } = await import('../folders/handoff-archive.ts');
    opened ??= openHandoffArchive(folder);
    return opened;
  };
  return {
    list: async () => (await archive()).list(),
    async *read(name) {
      yield* (await archive()).read(name);
    },
    write: async (name, lines) => (await archive()).write(name, lines),
    alone: async (act) => (await archive()).alone(act),
    close: () => opened?.close(),
  };
}
