/** `tasks/` of a workspace. Drafts and locks lie in the private folder, where nobody's git sees them. */
import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OUR_FOLDER_MODE } from '../foundation/own-file.ts';
import { codeOf } from '../foundation/system-error-code.ts';
import type { TaskId } from '../domain/names.ts';
import { taskFileName, taskIdOf, taskNumberIn, type TaskPattern } from '../formats/task/names.ts';
import { openNameLocks } from './name-locks.ts';
import type { TaskFolder } from './folder.ts';
import { openGitTree } from './git-tree.ts';
import { readPlainFile } from './plain-file.ts';

export interface TaskFolderOptions {
  /** The workspace. */
  readonly folder: string;
  readonly privateFolder: string;
  readonly pattern: TaskPattern;
}

/** As many who want a number at the same moment; each lets one other pass. */
const NUMBERS_MAX = 10_000;

export function openTaskFolder({ folder, privateFolder, pattern }: TaskFolderOptions): TaskFolder {
  const root = join(folder, 'tasks');
  const drafts = join(privateFolder, 'tasks');
  const alone = openNameLocks();
  const pathOf = (id: TaskId): string => join(root, taskFileName(id));
  const draftOf = async (text: string, mode: number): Promise<string> => {
    await mkdir(drafts, { recursive: true, mode: 0o700 });
    const draft = join(drafts, `.${randomUUID()}.draft`);
    const handle = await open(draft, 'wx', mode);
    try {
      await handle.writeFile(text);
      // Whatever the mask of this process takes away: it is the file of the one who wrote it.
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return draft;
  };
  const put = async (id: TaskId, text: string): Promise<boolean> => {
    await realFolder(root);
    const draft = await draftOf(text, 0o644);
    try {
      return await giveName(draft, pathOf(id));
    } finally {
      await unlink(draft).catch(() => undefined);
    }
  };

  return {
    read: async (id) => ((await isRealFolder(root)) ? readPlainFile(pathOf(id)) : { kind: 'absent' }),

    async replace(id, text, read) {
      const mode = (await lstat(pathOf(id)).catch(() => null))?.mode;
      if (mode === undefined) return false;
      const draft = await draftOf(text, mode & 0o777);
      const now = readPlainFile(pathOf(id));
      if (now.kind !== 'file' || now.text !== read) {
        await unlink(draft);
        return false;
      }
      await rename(draft, pathOf(id));
      return true;
    },

    put,

    async create(year, textFor) {
      await realFolder(root);
      const taken = (await readdir(root)).map((name) => taskNumberIn(name, pattern, year) ?? 0);
      const first = taken.reduce((most, each) => Math.max(most, each), 0) + 1;
      for (let number = first; number < first + NUMBERS_MAX; number += 1) {
        const id = taskIdOf(pattern, year, number);
        if (await put(id, textFor(id))) return id;
      }
      throw new Error(`no free number in ${root}`);
    },

    busy: () => openGitTree(folder).busy(),

    async alone(id, act) {
      await mkdir(drafts, { recursive: true, mode: 0o700 });
      return alone.with(join(drafts, `${id}.lock`), act);
    },
    close: () => alone.close(),
  };
}

/** A second name is refused where there is one already; that decides between two who want the same number. */
async function giveName(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return false;
    // Some file systems have no second names.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error;
  }
  const { readFile } = await import('node:fs/promises');
  const handle = await open(path, 'wx', 0o644).catch((error: unknown) => {
    if (codeOf(error) === 'EEXIST') return null;
    throw error;
  });
  if (handle === null) return false;
  try {
    await handle.writeFile(await readFile(draft));
    await handle.sync();
  } finally {
    await handle.close();
  }
  return true;
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function isRealFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() === true;
}

/** A folder that became a link would lead us out of the workspace. */
async function realFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: OUR_FOLDER_MODE });
  if (!(await isRealFolder(path))) throw new Error(`${path} is not a folder of its own; no task is written there`);
}
