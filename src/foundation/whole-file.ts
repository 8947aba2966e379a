/**
 * A file comes into being whole: it is written under a name that nobody looks at, and gets its own when it is on the
 * disk. What a killed process leaves of that is taken out by the next one that wants the same file.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

export class FileExists extends Error {
  override readonly name = 'FileExists';

  constructor(path: string) {
    super(`${path} exists; it was left as it is`);
  }
}

/** A name beside the file that is to be, and nothing left of those that were begun for it and never finished. */
export function draftBeside(path: string): string {
  const folder = dirname(path);
  const begin = `.${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(begin)
      ? /^([0-9]+)\.draft(?:-journal|-wal|-shm)?$/.exec(name.slice(begin.length))
      : null;
    if (pid?.[1] !== undefined && !isRunning(Number(pid[1]))) rmSync(join(folder, name), { force: true });
  }
  const draft = join(folder, `${begin}${process.pid}.draft`);
  rmSync(draft, { force: true });
  return draft;
}

/** Only its owner reads it: what was handed from one to another is nobody else's business. */
export function putInPlace(draft: string, path: string, { replace }: { readonly replace: boolean }): void {
  chmodSync(draft, 0o600);
  syncPath(draft, 'r+');
  if (replace) renameSync(draft, path);
  else giveName(draft, path);
  if (process.platform !== 'win32') syncPath(dirname(path), 'r');
}

/** A second name is refused where there is one already; renaming would take its place without a word. */
function giveName(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EEXIST' || existsSync(path)) throw new FileExists(path);
    // Some file systems have no second names.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error;
    renameSync(draft, path);
    return;
  }
  rmSync(draft);
}

function syncPath(path: string, how: 'r' | 'r+'): void {
  const handle = openSync(path, how);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
