/**
 * Writes a file whole: readers see the old content or all of the new one. The file is written as a draft under another
 * name, and renamed when it is complete.
 *
 * Small steps are synchronous: a rename takes microseconds, and handing it to a thread ten times as long. Only waiting for
 * the disk is asynchronous. A sync that failed is never repeated on the same descriptor: the system has dropped what it
 * could not write.
 */
import { messageOf } from './error-message.ts';
import { randomInt } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsync,
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
import { promisify } from 'node:util';
import { syncFolder, syncFolderSync } from './folder-sync.ts';
import { ownJudge, placeOf } from './process-identity.ts';
import { codeOf } from './system-error-code.ts';

const synced = promisify(fsync);

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
  readonly isWanted?: () => boolean;
}

/**
 * With `durably` the file survives a power cut. Otherwise it may be empty or gone then: for what can be made again.
 *
 * @returns false: the file was left as it is
 */
export function writeWhole(
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
    if (!takePlace(draft, path, options)) return false;
    if (durably) syncFolderSync(dirname(path));
    return true;
  } catch (error) {
    throw unwritten(path, draft, error);
  }
}

/**
 * The file survives a power cut. Other work goes on during the wait for the disk.
 *
 * @returns false: the file was left as it is
 */
export async function writeDurably(path: string, text: string | Buffer, options: WriteOptions = {}): Promise<boolean> {
  const draft = draftFor(path, options);
  try {
    const file = openDraft(draft, text, options);
    try {
      await synced(file);
    } finally {
      closeSync(file);
    }
    if (!takePlace(draft, path, options)) return false;
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    throw unwritten(path, draft, error);
  }
}

/**
 * A new file without a draft, which halves the cost. Only for files that have no readers before they are announced: a
 * process that is killed leaves half a file. The file is written when this returns; the promise resolves when it is on the
 * disk. Null: the name is in use.
 */
export function makeDurably(path: string, text: string, disk: Disk = AT_ONCE): Promise<void> | null {
  const file = openNew(path);
  return file === null ? null : filled(path, file, text, disk);
}

/** How to wait until the content of an open file, or the names in a folder, are on the disk. */
interface Disk {
  file(file: number): Promise<void>;
  folder(path: string): Promise<void>;
}

const AT_ONCE: Disk = { file: synced, folder: syncFolder };

async function filled(path: string, file: number, text: string, disk: Disk): Promise<void> {
  try {
    try {
      writeAll(file, text);
      // In parallel: the file is announced only after both.
      await Promise.all([disk.file(file), disk.folder(dirname(path))]);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw unwritten(path, path, error);
  }
}

/**
 * Syncs a draft that something else has written (`draftBeside`), and gives it its name.
 *
 * @throws FileExists without `replace`
 */
export function putInPlace(
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
  if (!takePlace(draft, path, { replace })) throw new FileExists(path);
  syncFolderSync(dirname(path));
}

/** A draft of another machine is removed after this: longer than a wall clock that was set by a day can pretend. */
const DRAFT_KEPT_MS = 25 * 60 * 60_000;

/** A new name for a draft. Removes the drafts of killed processes for the same file. */
export function draftBeside(path: string): string {
  const folder = dirname(path);
  const begin = `.${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(begin) && isLitter(folder, name, name.slice(begin.length)))
      rmSync(join(folder, name), { force: true });
  }
  return draftIn(folder, path);
}

/** Random, so that a later process with the same id uses other numbers. */
let drafts = randomInt(1_000_000_000);

/**
 * The name says where its process runs (`placeOf`), because another machine or container that shares the folder has the
 * same process ids.
 */
function draftIn(folder: string, path: string): string {
  drafts += 1;
  ownPrefix ??= `${placeOf(ownJudge().self)}-${process.pid}-${ownJudge().self.startedAt}`;
  return join(folder, `.${basename(path)}.${ownPrefix}-${drafts}.draft`);
}

let ownPrefix: string | null = null;

const DRAFT_NAME = /^(?:([0-9a-f]{16})-([0-9]+)-([0-9]*)(?:-[0-9]+)?|[0-9]+)\.draft(?:-journal|-wal|-shm)?$/;

function isLitter(folder: string, name: string, ending: string): boolean {
  const found = DRAFT_NAME.exec(ending);
  if (found === null) return false;
  const [, place, pid, startedAt = ''] = found;
  const { self, of } = ownJudge();
  if (place === placeOf(self)) return of({ ...self, pid: Number(pid), startedAt }) === 'gone';
  const stat = statSync(join(folder, name), { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > DRAFT_KEPT_MS;
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
function takePlace(draft: string, path: string, { replace = true, isWanted }: WriteOptions): boolean {
  const isGiven = isWanted?.() !== false && (replace ? rename(draft, path) : giveSecondName(draft, path));
  if (!isGiven || !replace) rmSync(draft, { force: true });
  return isGiven;
}

function rename(draft: string, path: string): true {
  renameSync(draft, path);
  return true;
}

/** A hard link fails where the name is in use; a rename would silently replace the file. */
function giveSecondName(draft: string, path: string): boolean {
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

/** Null: there is something of this name. */
function openNew(path: string): number | null {
  try {
    return openSync(path, 'wx', 0o644);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return null;
    throw new Error(`could not write ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

function unwritten(path: string, draft: string, cause: unknown): Error {
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

/** Writes from the beginning of the file and returns the number of bytes. A full disk may take a part without an error. */
export function writeAll(file: number, text: string | Buffer): number {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length;) {
    const written = writeSync(file, bytes, at, bytes.length - at, at);
    if (written === 0) throw new Error('nothing more could be written');
    at += written;
  }
  return bytes.length;
}
