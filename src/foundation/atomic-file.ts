/**
 * Brings a file into being whole: readers see what was there before, or all of the new one. It is written as a draft,
 * under a name that nobody looks at, and gets its own name when it is complete.
 *
 * Small things are done at once, without a detour through threads: a rename takes microseconds, and handing it over ten
 * times as long. Only waiting for the disk is left to others. A sync that failed is never tried again on the same
 * descriptor: the system has forgotten what it could not write.
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
  /** A folder of the same file system whose owner removes what killed processes leave there. @default beside the file */
  readonly draftFolder?: string;
  /** Exactly this, whatever the mask of the process takes away. @default 0o644 less the mask */
  readonly mode?: number;
  /** False: whatever has the name already keeps it. @default true */
  readonly replace?: boolean;
  /** Asked when the draft is complete, right before it gets its name. False: the file stays as it is. */
  readonly isWanted?: () => boolean;
}

/**
 * There after a power cut, if `durably`; otherwise for what can be made again: it may be empty then, or gone.
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
 * There after a power cut. Other work goes on during the wait for the disk.
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
 * Makes a new file under its own name, without a draft: a draft and its rename would cost as much again. Only for files
 * that nobody looks for before they are announced. The file is written when this returns, and on the disk when the
 * promise ends. Null: there is something of this name. A process that is killed meanwhile leaves a beginning of the file.
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
      // Both at the same time: nobody is told of the file before both have ended.
      await Promise.all([disk.file(file), disk.folder(dirname(path))]);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw unwritten(path, path, error);
  }
}

/**
 * Gives its name to a draft that something else has written (`draftBeside`), when it is on the disk.
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

/** A draft that nobody can judge is litter after this: longer than a wall clock that was set by a day can make it look. */
const DRAFT_KEPT_MS = 25 * 60 * 60_000;

/** A new name for a draft; and nothing left of those that killed processes have begun for the same file. */
export function draftBeside(path: string): string {
  const folder = dirname(path);
  const begin = `.${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(begin) && isLitter(folder, name, name.slice(begin.length)))
      rmSync(join(folder, name), { force: true });
  }
  return draftIn(folder, path);
}

/** Where a process cannot be told from an earlier one of the same id, their drafts still have different numbers. */
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

/** With the text in it, and still to be closed. */
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

/** False: the draft is gone and the file is as it was. */
function takePlace(draft: string, path: string, { replace = true, isWanted }: WriteOptions): boolean {
  const isGiven = isWanted?.() !== false && (replace ? rename(draft, path) : giveSecondName(draft, path));
  if (!isGiven || !replace) rmSync(draft, { force: true });
  return isGiven;
}

function rename(draft: string, path: string): true {
  renameSync(draft, path);
  return true;
}

/** A second name is refused where there is one already; renaming would take its place without a word. */
function giveSecondName(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return false;
    // Some file systems have no second names.
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

/** From the beginning of the file; answers how many bytes. A full disk can take a part and not complain. */
export function writeAll(file: number, text: string | Buffer): number {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length;) {
    const written = writeSync(file, bytes, at, bytes.length - at, at);
    if (written === 0) throw new Error('nothing more could be written');
    at += written;
  }
  return bytes.length;
}
