/**
 * Reads and writes files that other programs may have written. Reads only regular files with one name, of a trusted user
 * and within the size limit. Writes only to regular files with one name.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { writeAll } from '../foundation/atomic-file.ts';
import { unlessMissing } from '../foundation/or-null.ts';
import { codeOf } from '../foundation/system-error-code.ts';
import { JSON_BYTES_MAX } from '../foundation/json.ts';
import type { FileRead } from './folder.ts';
import type { SyncRounds } from './sync-rounds.ts';

export interface ReadOptions {
  readonly bytesMax?: number;
  readonly trusted?: Trusted;
  /** How long the file has been unchanged. @default since its last write, by the clock of this machine */
  readonly unchangedMsOf?: (found: Stats) => number;
}

/** Users and groups whose files are read, besides our own and root's. Containers often run under another user id. */
export interface Trusted {
  readonly users: readonly number[];
  readonly groups: readonly number[];
}

const NO_OTHERS: Trusted = { users: [], groups: [] };

export function readPlainFile(path: string, options: ReadOptions = {}): FileRead {
  const seen = lstatSync(path, { throwIfNoEntry: false });
  if (seen === undefined) return { kind: 'absent' };
  const unfit = unfitnessOf(seen, options);
  if (unfit !== null) return unfit;
  const file = tryOpenPlain(path);
  if (file === 'no right') return { kind: 'unfit', says: 'it may not be read', isPlain: true };
  // The file was replaced or removed after the `lstat`; the next read handles that.
  if (file === null) return { kind: 'absent' };
  try {
    return contentOf(file, options);
  } finally {
    closeSync(file);
  }
}

function contentOf(file: number, options: ReadOptions): FileRead {
  const before = fstatSync(file);
  const unfit = unfitnessOf(before, options);
  if (unfit !== null) return unfit;
  const bytes = readFileSync(file);
  const after = fstatSync(file);
  const moved = after.size !== before.size || after.mtimeMs !== before.mtimeMs || bytes.length !== before.size;
  const { unchangedMsOf = sinceWritten } = options;
  const unchangedMs = moved ? 0 : Math.max(0, unchangedMsOf(after));
  const user = String(after.uid);
  try {
    // The byte order mark is kept: the text is stored unchanged.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: 'file', text, user, unchangedMs };
  } catch {
    return moved ? { kind: 'absent' } : { kind: 'unfit', says: 'it is not UTF-8 text', isPlain: true };
  }
}

function sinceWritten(found: Stats): number {
  return Date.now() - found.mtimeMs;
}

function unfitnessOf(
  found: Stats,
  { bytesMax = JSON_BYTES_MAX, trusted = NO_OTHERS }: ReadOptions,
): Extract<FileRead, { kind: 'unfit' }> | null {
  const says = unfitness(found, bytesMax, trusted);
  return says === null ? null : { kind: 'unfit', says, isPlain: found.isFile() && found.nlink === 1 };
}

export function unfitness(found: Stats, bytesMax: number, trusted: Trusted = NO_OTHERS): string | null {
  if (found.isSymbolicLink()) return 'it is a link, and links are not followed';
  if (!found.isFile()) return 'it is not a plain file';
  if (found.nlink > 1) return 'it has a second name elsewhere';
  if (found.size > bytesMax) return `it has ${found.size} bytes, at most ${bytesMax} are read`;
  return isTrusted(found, trusted) ? null : `it belongs to user ${found.uid}, who has no part in this workspace`;
}

/** The user who runs this process, root, and the users and groups that the workspace names. */
function isTrusted({ uid, gid }: Stats, { users, groups }: Trusted): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own || uid === 0 || users.includes(uid) || groups.includes(gid);
}

export function tryOpenPlain(path: string): number | null | 'no right' {
  try {
    return openPlain(path, constants.O_RDONLY);
  } catch (error) {
    if (codeOf(error) === 'EACCES') return 'no right';
    throw error;
  }
}

/** Follows no links and does not block on pipes. Null: there is no regular file of this name. */
export function openPlain(path: string, how: number): number | null {
  try {
    return openSync(path, how | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'EISDIR' || code === 'ENXIO') return null;
    throw error;
  }
}

/**
 * Writes into the existing file, because replacing it costs thirty times as much. Only for files that no program reads at
 * the time. A file with a second name is not written to: that name could be anywhere. With `disk` the content is synced
 * when this resolves. False: the file is gone or unfit.
 */
export async function rewriteInPlace(
  path: string,
  text: string,
  {
    disk,
    isExpected,
  }: { readonly disk?: Pick<SyncRounds, 'file'>; readonly isExpected?: (old: string) => boolean } = {},
): Promise<boolean | 'other'> {
  const file = openPlain(path, constants.O_RDWR);
  if (file === null) return false;
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.nlink !== 1) return false;
    if (isExpected !== undefined && found.size <= JSON_BYTES_MAX && !isExpected(readWhole(file, found.size)))
      return 'other';
    const length = writeAll(file, text);
    // Truncated after the write: some systems flush a file to the disk as soon as it is emptied.
    if (found.size > length) ftruncateSync(file, length);
    await disk?.file(file);
    return true;
  } finally {
    closeSync(file);
  }
}

function readWhole(file: number, size: number): string {
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (let read = -1; at < size && read !== 0; at += read) read = readSync(file, bytes, at, size - at, at);
  return bytes.toString('utf8', 0, at);
}

/** With `disk` the new name is synced when this resolves. False: there was nothing to move. */
export async function moveFile(from: string, to: string, disk?: Pick<SyncRounds, 'folder'>): Promise<boolean> {
  if (unlessMissing(() => renameSync(from, to)) === null) return false;
  await disk?.folder(dirname(to));
  return true;
}
