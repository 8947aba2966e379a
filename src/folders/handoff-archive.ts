/** The archive of pruned handoffs: a folder of files in export format, each written atomically and synced. */
import { createReadStream, mkdirSync, rmSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { draftBeside, publishDraft } from '../foundation/atomic-file.ts';
import { ignoreMissing } from '../foundation/or-null.ts';
import type { HandoffArchive } from './folder.ts';
import { openNameLocks } from './name-locks.ts';

const EXTENSION = '.jsonl';

export function openHandoffArchive(folder: string): HandoffArchive {
  const locks = openNameLocks();
  const make = (): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  };
  return {
    list: async () => {
      const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
      return names.filter((name) => name.endsWith(EXTENSION) && !name.startsWith('.')).toSorted();
    },
    read: (name) => createReadStream(join(folder, name)),
    async write(name, lines) {
      make();
      const path = join(folder, name);
      // One base name for all drafts, so that the next write removes the drafts of killed processes.
      const draft = draftBeside(join(folder, 'handoffs'));
      try {
        const file = await open(draft, 'wx', 0o600);
        try {
          for await (const text of lines) await file.write(text);
        } finally {
          await file.close();
        }
        publishDraft(draft, path, { replace: false });
      } finally {
        rmSync(draft, { force: true });
      }
    },
    withLock: (act) => {
      make();
      return locks.with(join(folder, 'prune.lock'), act);
    },
    close: () => locks.close(),
  };
}
