/** Creates folders and checks that they are real folders, not links. */
import { lstat, mkdir } from 'node:fs/promises';
import { OUR_FOLDER_MODE } from '../foundation/file-ownership.ts';
import { codeOf } from '../foundation/system-error-code.ts';

/**
 * A folder that became a link would lead out of the workspace: stopping is better than writing elsewhere. `consequence`
 * completes the error message.
 */
export async function realFolder(path: string, consequence = 'its files stand still'): Promise<void> {
  await mkdir(path, { recursive: true, mode: OUR_FOLDER_MODE });
  if ((await kindOf(path)) !== 'folder') throw new Error(`${path} is not a folder of its own; ${consequence}`);
}

export async function kindOf(path: string): Promise<'file' | 'folder' | 'other' | null> {
  try {
    const found = await lstat(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}
