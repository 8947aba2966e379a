/** Folders below a root, without links on the way: a link would lead out of the workspace. */
import { lstat, mkdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OUR_FOLDER_MODE } from '../../foundation/file-ownership.ts';
import { codeOf } from '../../foundation/system-error-code.ts';

export async function realFolder(root: string, path: string): Promise<void> {
  let at = root;
  for (const part of path.split('/')) {
    at = join(at, part);
    await mkdir(at, { mode: OUR_FOLDER_MODE }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    if (!(await isRealFolder(at)))
      throw new Error(`${at} is not a folder of its own; nothing is written through a link`);
  }
}

/** Whether every folder on the way to a file is one of the workspace's own. */
export async function isWithin(root: string, path: string): Promise<boolean> {
  let at = root;
  for (const part of path.split('/').slice(0, -1)) {
    at = join(at, part);
    if (!(await isRealFolder(at))) return false;
  }
  return true;
}

/** Removes the folders above a file that are empty now. */
export async function removeEmptyFolders(root: string, path: string): Promise<void> {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      await rmdir(join(root, folder));
    } catch {
      return;
    }
  }
}

async function isRealFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() === true;
}
