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
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ownJudge, placeOf, type ProcessJudge } from './process-identity.ts';

export class FileExists extends Error {
  override readonly name = 'FileExists';

  constructor(path: string) {
    super(`${path} exists; it was left as it is`);
  }
}

/** A draft that nobody can judge is litter after this: longer than a wall clock that was set by a day can make it look. */
const DRAFT_KEPT_MS = 25 * 60 * 60_000;

/**
 * A name beside the file that is to be, which no other process gives; and nothing left of those that were begun for it
 * and never finished. The name says where its process runs (`placeOf`), because another machine or container that shares
 * the folder has the same process ids.
 */
export function draftBeside(path: string, judge: ProcessJudge = ownJudge()): string {
  const folder = dirname(path);
  const begin = `.${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(begin) && isLitter(folder, name, name.slice(begin.length), judge))
      rmSync(join(folder, name), { force: true });
  }
  const { self } = judge;
  const draft = join(folder, `${begin}${placeOf(self)}-${self.pid}-${self.startedAt}.draft`);
  rmSync(draft, { force: true });
  return draft;
}

const DRAFT_NAME = /^(?:([0-9a-f]{16})-([0-9]+)-([0-9]*)|[0-9]+)\.draft(?:-journal|-wal|-shm)?$/;

function isLitter(folder: string, name: string, ending: string, { self, of }: ProcessJudge): boolean {
  const found = DRAFT_NAME.exec(ending);
  if (found === null) return false;
  const [, place, pid, startedAt = ''] = found;
  if (place === placeOf(self)) return of({ ...self, pid: Number(pid), startedAt }) === 'gone';
  const stat = statSync(join(folder, name), { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > DRAFT_KEPT_MS;
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
