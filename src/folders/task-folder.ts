/** `tasks/` of a workspace. Drafts and locks are in the private folder, where git does not see them. */
import { lstatSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '../foundation/atomic-file.ts';
import type { TaskId } from '../domain/names.ts';
import { taskFileName, taskIdOf, taskNumberIn, type TaskPattern } from '../formats/task/names.ts';
import { openNameLocks } from './name-locks.ts';
import type { TaskFolder } from './folder.ts';
import { openGitTree } from './git-tree.ts';
import { readPlainFile } from './plain-file.ts';
import { kindOf, realFolder } from './real-folder.ts';

export interface TaskFolderOptions {
  /** The workspace. */
  readonly folder: string;
  readonly privateFolder: string;
  readonly pattern: TaskPattern;
}

/** Tries of `create`: each may lose its number to another process. */
const NUMBERS_MAX = 10_000;
const NO_TASK_WRITTEN = 'no task is written there';

export function openTaskFolder({ folder, privateFolder, pattern }: TaskFolderOptions): TaskFolder {
  const root = join(folder, 'tasks');
  const drafts = join(privateFolder, 'tasks');
  const nameLocks = openNameLocks();
  const pathOf = (id: TaskId): string => join(root, taskFileName(id));
  const put = async (id: TaskId, text: string): Promise<boolean> => {
    await realFolder(root, NO_TASK_WRITTEN);
    await mkdir(drafts, { recursive: true, mode: 0o700 });
    // Without replacing, only one of two processes gets the same number.
    return writeDurably(pathOf(id), text, { draftFolder: drafts, mode: 0o644, replace: false });
  };

  return {
    read: async (id) => ((await kindOf(root)) === 'folder' ? readPlainFile(pathOf(id)) : { kind: 'absent' }),

    async replace(id, text, read) {
      const path = pathOf(id);
      const mode = lstatSync(path, { throwIfNoEntry: false })?.mode;
      if (mode === undefined) return false;
      await mkdir(drafts, { recursive: true, mode: 0o700 });
      const isWanted = (): boolean => {
        const now = readPlainFile(path);
        return now.kind === 'file' && now.text === read;
      };
      // The file keeps its mode.
      return writeDurably(path, text, { draftFolder: drafts, mode: mode & 0o777, shouldReplace: isWanted });
    },

    put,

    async create(year, textFor) {
      await realFolder(root, NO_TASK_WRITTEN);
      const taken = (await readdir(root)).map((name) => taskNumberIn(name, pattern, year) ?? 0);
      const first = taken.reduce((most, each) => Math.max(most, each), 0) + 1;
      for (let number = first; number < first + NUMBERS_MAX; number += 1) {
        const id = taskIdOf(pattern, year, number);
        if (await put(id, textFor(id))) return id;
      }
      throw new Error(`no free number in ${root}`);
    },

    busy: () => openGitTree(folder).busy(),

    async withLock(id, act) {
      await mkdir(drafts, { recursive: true, mode: 0o700 });
      return nameLocks.with(join(drafts, `${id}.lock`), act);
    },
    close: () => nameLocks.close(),
  };
}
