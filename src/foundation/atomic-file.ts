/**
 * Writes files atomically: readers see the old content or all of the new one. The text goes into a draft under another
 * name, which is renamed when it is complete.
 *
 * Small steps are synchronous: a rename takes microseconds, and a thread takes ten times as long. Only fsync is
 * asynchronous. A failed fsync is never repeated on the same descriptor: the system has dropped what it could not write.
 */
import { messageOf } from './error-message.ts';
import { randomInt } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fsyncAsync, syncFolder, syncFolderSync } from './folder-sync.ts';
import { ownJudge, placeOf } from './process-identity.ts';
import { codeOf } from './system-error-code.ts';

export class FileExists extends Error {
  override readonly name = 'FileExists';

  constructor(path: string) {
    super(`${path} exists; it was left as it is`);
  }
}

interface WriteOptions {
  /** A folder of the same file system whose owner removes the drafts of killed processes. @default beside the file */
  readonly draftFolder?: string;
  /** Exactly this mode, whatever the umask is. @default 0o644 less the umask */
  readonly mode?: number;
  /** False: an existing file stays. @default true */
  readonly replace?: boolean;
  /** Called when the draft is complete, right before the rename. False: the file stays as it is. */
  readonly shouldReplace?: () => boolean;
}

/**
 * With `durably` the file survives a power cut. Otherwise it may be empty or missing afterwards: for files that can be
 * written again.
 *
 * @returns false: the file was left as it is
 */
export function writeAtomically(
  path: string,
  text: string,
  { durably = false, ...options }: WriteOptions & { readonly durably?: boolean } = {},
): boolean {
  const draft = draftFor(path, options);
  try {
    const file = openDraft(draft, text, options);
    try {
      if (durably) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (!moveIntoPlace(draft, path, options)) return false;
    if (durably) syncFolderSync(dirname(path));
    return true;
  } catch (error) {
    throw writeError(path, draft, error);
  }
}

/**
 * The file survives a power cut. The wait for the disk does not block the event loop.
 *
 * @returns false: the file was left as it is
 */
export async function writeDurably(path: string, text: string | Buffer, options: WriteOptions = {}): Promise<boolean> {
  const draft = draftFor(path, options);
  try {
    const file = openDraft(draft, text, options);
    try {
      await fsyncAsync(file);
    } finally {
      closeSync(file);
    }
    if (!moveIntoPlace(draft, path, options)) return false;
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    throw writeError(path, draft, error);
  }
}

/**
 * Creates a file without a draft, which halves the cost. Only for files that have no readers before they are announced: a
 * killed process leaves half a file. The file is written when this returns; the promise resolves when it is on disk.
 * Null: the name is in use.
 */
export function createDurably(path: string, text: string, disk: Disk = IMMEDIATE_SYNC): Promise<void> | null {
  const file = openNew(path);
  return file === null ? null : fillAndSync(path, file, text, disk);
}

/** How to wait until the content of an open file, or the names in a folder, are on disk. */
interface Disk {
  file(file: number): Promise<void>;
  folder(path: string): Promise<void>;
}

const IMMEDIATE_SYNC: Disk = { file: fsyncAsync, folder: syncFolder };

async function fillAndSync(path: string, file: number, text: string, disk: Disk): Promise<void> {
  try {
    try {
      writeAll(file, text);
      // In parallel: the file is announced only after both.
      await Promise.all([disk.file(file), disk.folder(dirname(path))]);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw writeError(path, path, error);
  }
}

/**
 * Syncs a draft that other code wrote (`draftBeside`), and renames it to `path`.
 *
 * @throws FileExists without `replace`
 */
export function publishDraft(
  draft: string,
  path: string,
  { mode, replace }: Required<Pick<WriteOptions, 'replace'>> & Pick<WriteOptions, 'mode'>,
): void {
  if (mode !== undefined) chmodSync(draft, mode);
  const file = openSync(draft, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (!moveIntoPlace(draft, path, { replace })) throw new FileExists(path);
  syncFolderSync(dirname(path));
}

/** A draft of another machine is removed after this time. It is longer than a day, in case a wall clock is a day off. */
const FOREIGN_DRAFT_KEPT_MS = 25 * 60 * 60_000;

/** A new name for a draft. Removes the drafts of killed processes for the same file. */
export function draftBeside(path: string): string {
  const folder = dirname(path);
  const begin = `.${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(begin) && isAbandonedDraft(folder, name, name.slice(begin.length)))
      rmSync(join(folder, name), { force: true });
  }
  return draftIn(folder, path);
}

/** Starts at a random number, so that a later process with the same id uses other names. Drawn late: `node:crypto` loads slowly. */
let drafts: number | null = null;

/**
 * The name includes where the process runs (`placeOf`), because another machine or container that shares the folder may
 * have a process with the same id.
 */
function draftIn(folder: string, path: string): string {
  drafts = (drafts ?? randomInt(1_000_000_000)) + 1;
  ownPrefix ??= `${placeOf(ownJudge().self)}-${process.pid}-${ownJudge().self.startedAt}`;
  return join(folder, `.${basename(path)}.${ownPrefix}-${drafts}.draft`);
}

let ownPrefix: string | null = null;

const DRAFT_NAME = /^(?:([0-9a-f]{16})-([0-9]+)-([0-9]*)(?:-[0-9]+)?|[0-9]+)\.draft(?:-journal|-wal|-shm)?$/;

function isAbandonedDraft(folder: string, name: string, ending: string): boolean {
  const found = DRAFT_NAME.exec(ending);
  if (found === null) return false;
  const [, place, pid, startedAt = ''] = found;
  const { self, of } = ownJudge();
  if (place === placeOf(self)) return of({ ...self, pid: Number(pid), startedAt }) === 'gone';
  const stat = statSync(join(folder, name), { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > FOREIGN_DRAFT_KEPT_MS;
}

export function isDraft(name: string): boolean {
  return name.startsWith('.') && name.endsWith('.draft');
}

function draftFor(path: string, { draftFolder }: WriteOptions): string {
  try {
    return draftFolder === undefined ? draftBeside(path) : draftIn(draftFolder, path);
  } catch (error) {
    throw new Error(`could not write ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Returns the open descriptor of a draft that holds the text. */
function openDraft(draft: string, text: string | Buffer, { mode }: WriteOptions): number {
  const file = openSync(draft, 'wx', mode ?? 0o644);
  try {
    if (mode !== undefined) fchmodSync(file, mode);
    writeAll(file, text);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** False: the draft is removed and the file is as it was. */
function moveIntoPlace(draft: string, path: string, { replace = true, shouldReplace }: WriteOptions): boolean {
  const isPlaced = shouldReplace?.() !== false && (replace ? rename(draft, path) : linkUnlessExists(draft, path));
  if (!isPlaced || !replace) rmSync(draft, { force: true });
  return isPlaced;
}

function rename(draft: string, path: string): true {
  renameSync(draft, path);
  return true;
}

/** A hard link fails where the name is in use; a rename would silently replace the file. */
function linkUnlessExists(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return false;
    // Some file systems have no hard links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error;
  }
  const reserved = openNew(path);
  if (reserved === null) return false;
  closeSync(reserved);
  return rename(draft, path);
}

/** Null: the name is in use. */
function openNew(path: string): number | null {
  try {
    return openSync(path, 'wx', 0o644);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return null;
    throw new Error(`could not write ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

function writeError(path: string, draft: string, cause: unknown): Error {
  rmSync(draft, { force: true });
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
  return known ?? messageOf(cause);
}

/** Writes from the beginning of the file and returns the number of bytes. On a full disk a write may be partial without an error. */
export function writeAll(file: number, text: string | Buffer): number {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length;) {
    const written = writeSync(file, bytes, at, bytes.length - at, at);
    if (written === 0) throw new Error('nothing more could be written');
    at += written;
  }
  return bytes.length;
}
