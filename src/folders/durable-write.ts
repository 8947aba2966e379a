/**
 * Brings a file into being whole: readers see nothing, or all of it, also after a power cut.
 *
 * The folder is synced too, because a renamed file whose folder was not is the first one to be lost. A sync that failed
 * is never tried again on the same descriptor: the system has forgotten what it could not write.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../foundation/error-code.ts';

/** The draft may lie in another folder of the same file system, where nobody stumbles over what a killed process left. */
export async function writeDurably(path: string, text: string, draftFolder: string = dirname(path)): Promise<void> {
  const draft = join(draftFolder, `.${basename(path)}.${randomUUID()}.draft`);
  try {
    const handle = await open(draft, 'wx', 0o644);
    try {
      await writeAll(handle, text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw new Error(`could not write ${path}`, { cause: error });
  }
}

export function isDraft(name: string): boolean {
  return name.startsWith('.') && name.endsWith('.draft');
}

/**
 * In place, because replacing costs thirty times as much; only for files that nobody else reads at the time.
 * A second name of the same file could lie anywhere, so a file that has one is not ours to write.
 */
export async function rewriteInPlace(path: string, text: string): Promise<boolean> {
  const handle = await openPlain(path, constants.O_RDWR);
  if (handle === null) return false;
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.nlink !== 1) return false;
    await handle.truncate(0);
    await writeAll(handle, text);
    await handle.datasync();
    return true;
  } finally {
    await handle.close();
  }
}

/** False: there was nothing to move. */
export async function moveFile(from: string, to: string, { durably }: { readonly durably: boolean }): Promise<boolean> {
  try {
    await rename(from, to);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  if (durably) await syncFolder(dirname(to));
  return true;
}

/** Neither a link nor a pipe can send us elsewhere or make us wait. Null: there is no such plain name. */
export async function openPlain(path: string, how: number): Promise<FileHandle | null> {
  try {
    return await open(path, how | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'EISDIR' || code === 'ENXIO') return null;
    throw error;
  }
}

/** A full disk can take a part and not complain. */
async function writeAll(handle: FileHandle, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, at);
    if (bytesWritten === 0) throw new Error('nothing more could be written');
    at += bytesWritten;
  }
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
