/** Where removed handoffs go: a folder of files in the form of an export, each whole and on the disk when it appears. */
import { createReadStream, mkdirSync, rmSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { draftBeside, putInPlace } from '../foundation/atomic-file.ts';
import { ignoreMissing } from '../foundation/or-null.ts';
import type { HandoffArchive } from './folder.ts';
import { openNameLocks } from './name-locks.ts';

const ENDING = '.jsonl';

export function openHandoffArchive(folder: string): HandoffArchive {
  const locks = openNameLocks();
  const make = (): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  };
  return {
    list: async () => {
      const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
      return names.filter((name) => name.endsWith(ENDING) && !name.startsWith('.')).toSorted();
    },
    read: (name) => createReadStream(join(folder, name)),
    async write(name, lines) {
      make();
      const path = join(folder, name);
      // One name for all, so that what a killed process has begun goes with the next one.
      const draft = draftBeside(join(folder, 'handoffs'));
      try {
        const file = await open(draft, 'wx', 0o600);
        try {
          for await (const text of lines) await file.write(text);
        } finally {
          await file.close();
        }
        putInPlace(draft, path, { replace: false });
      } finally {
        rmSync(draft, { force: true });
      }
    },
    alone: (act) => {
      make();
      return locks.with(join(folder, 'prune.lock'), act);
    },
    close: () => locks.close(),
  };
}
