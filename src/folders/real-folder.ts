/** Folders of ours that are folders, and nothing that leads elsewhere. */
import { lstat, mkdir } from 'node:fs/promises';
import { OUR_FOLDER_MODE } from '../foundation/own-file.ts';
import { codeOf } from '../foundation/system-error-code.ts';

/**
 * A folder that became a link would lead us out of the workspace: better stand still than write in somebody else's.
 * `otherwise` says what does not happen then.
 */
export async function realFolder(path: string, otherwise = 'its files stand still'): Promise<void> {
  await mkdir(path, { recursive: true, mode: OUR_FOLDER_MODE });
  if ((await kindOf(path)) !== 'folder') throw new Error(`${path} is not a folder of its own; ${otherwise}`);
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
