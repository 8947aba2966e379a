/**
 * Brings a file into being whole: readers see nothing, or all of it.
 *
 * Small things are done at once, without a detour through threads: a rename takes microseconds, and handing it over ten
 * times as long. Only waiting for the disk is left to others. The folder is synced too, because a renamed file whose
 * folder was not is the first one to be lost. A sync that failed is never tried again on the same descriptor: the system
 * has forgotten what it could not write.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../foundation/system-error-code.ts';
import { JSON_BYTES_MAX } from '../foundation/json.ts';
import { syncFolder } from './shared-sync.ts';

const synced = promisify(fsync);
const contentSynced = promisify(fdatasync);

/**
 * There after a power cut, too. The draft may lie in another folder of the same file system, where nobody stumbles over
 * what a killed process left.
 */
export async function writeDurably(
  path: string,
  text: string | Buffer,
  draftFolder: string = dirname(path),
): Promise<void> {
  const draft = draftOf(path, draftFolder);
  try {
    const file = openSync(draft, 'wx', 0o644);
    try {
      writeAll(file, text);
      await synced(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    throw unwritten(path, draft, error);
  }
}

/**
 * A new file under its own name at once, for what nobody looks for before it is announced: a draft and its rename cost as
 * much again. False: there is something of this name. Who is killed meanwhile leaves a beginning of it.
 */
export async function makeDurably(path: string, text: string): Promise<boolean> {
  const file = newFile(path);
  if (file === null) return false;
  try {
    try {
      writeAll(file, text);
      await synced(file);
    } finally {
      closeSync(file);
    }
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    throw unwritten(path, path, error);
  }
}

/** Null: there is something of this name. */
function newFile(path: string): number | null {
  try {
    return openSync(path, 'wx', 0o644);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return null;
    throw new Error(`could not write ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** For what can be made again: after a power cut it may be empty, or gone. */
export function writeWhole(path: string, text: string, draftFolder: string = dirname(path)): void {
  const draft = draftOf(path, draftFolder);
  try {
    const file = openSync(draft, 'wx', 0o644);
    try {
      writeAll(file, text);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    throw unwritten(path, draft, error);
  }
}

/** Unlike that of any other process, and made once: each file needs a name of its own, not a secret one. */
const DRAFTS = randomUUID();
let drafts = 0;

function draftOf(path: string, folder: string): string {
  drafts += 1;
  return join(folder, `.${basename(path)}.${DRAFTS}-${drafts}.draft`);
}

export function isDraft(name: string): boolean {
  return name.startsWith('.') && name.endsWith('.draft');
}

function unwritten(path: string, draft: string, cause: unknown): Error {
  try {
    unlinkSync(draft);
  } catch {
    // It never came to be, or is a file already.
  }
  return new Error(`could not write ${path}: ${reasonOf(cause)}`, { cause });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EROFS: 'the file system can only be read',
  EACCES: 'this user has no right to write there',
  EPERM: 'this user has no right to write there',
};

function reasonOf(cause: unknown): string {
  const known = REASONS[codeOf(cause) ?? ''];
  return known ?? (cause instanceof Error ? cause.message : String(cause));
}

/**
 * In place, because replacing costs thirty times as much; only for files that nobody else reads at the time.
 * A second name of the same file could lie anywhere, so a file that has one is not ours to write. False: it is gone, or
 * unfit.
 */
export async function rewriteInPlace(
  path: string,
  text: string,
  { durably, isExpected }: { readonly durably: boolean; readonly isExpected?: (old: string) => boolean },
): Promise<boolean | 'other'> {
  const file = openPlain(path, constants.O_RDWR);
  if (file === null) return false;
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.nlink !== 1) return false;
    if (isExpected !== undefined && found.size <= JSON_BYTES_MAX && !isExpected(readWhole(file, found.size)))
      return 'other';
    const length = writeAll(file, text);
    // Cut off after and not before: a file that was emptied is flushed to the disk at once by some systems.
    if (found.size > length) ftruncateSync(file, length);
    if (durably) await contentSynced(file);
    return true;
  } finally {
    closeSync(file);
  }
}

/** False: there was nothing to move. */
export async function moveFile(from: string, to: string, { durably }: { readonly durably: boolean }): Promise<boolean> {
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  if (durably) await syncFolder(dirname(to));
  return true;
}

/** Neither a link nor a pipe can send us elsewhere or make us wait. Null: there is no such plain name. */
export function openPlain(path: string, how: number): number | null {
  try {
    return openSync(path, how | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'EISDIR' || code === 'ENXIO') return null;
    throw error;
  }
}

function readWhole(file: number, size: number): string {
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (let read = -1; at < size && read !== 0; at += read) read = readSync(file, bytes, at, size - at, at);
  return bytes.toString('utf8', 0, at);
}

/** A full disk can take a part and not complain. */
function writeAll(file: number, text: string | Buffer): number {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length;) {
    const written = writeSync(file, bytes, at, bytes.length - at, at);
    if (written === 0) throw new Error('nothing more could be written');
    at += written;
  }
  return bytes.length;
}
