/**
 * Checks who may change our files. A user who can write or replace the database controls all work in it. So a file that
 * every user can change, or that another user owns, is refused before it is opened.
 *
 * Windows has no modes or owners of this kind, so nothing is checked there. Root may use files of other users, because a
 * container often runs as root with a folder of its user.
 */
import { statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { StoreFault } from './store-fault.ts';
import { codeOf } from './system-error-code.ts';

export interface OwnershipProblem {
  readonly says: string;
  /** What the user can do, with the command. */
  readonly todo: string;
}

/** The mode of our folders before the umask: only the owner may write. */
export const OUR_FOLDER_MODE = 0o755;

const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const ROOT = 0;
const OTHERS_TODO = 'run Baton as that user, or make a workspace of your own in another folder (baton init)';

/** `ownUid` is null where the system has no user ids. */
export function ownershipProblem(
  path: string,
  ownUid: number | null = process.getuid?.() ?? null,
): OwnershipProblem | null {
  const stats = ownUid === null ? undefined : statsOf(path);
  if (stats === undefined) return null;
  if (stats === 'locked') {
    const folder = dirname(path);
    return {
      says: `${folder} belongs to another user (id ${statSync(folder).uid}), and you (id ${ownUid}) may not look into it`,
      todo: OTHERS_TODO,
    };
  }
  // In a sticky folder, such as `/tmp`, users cannot move or replace the files of others.
  const isShared = stats.isDirectory() && (stats.mode & STICKY) !== 0;
  if ((stats.mode & OTHERS_WRITE) !== 0 && !isShared) {
    const mode = (stats.mode & 0o777).toString(8);
    return { says: `every user of this machine may change ${path} (mode ${mode})`, todo: `chmod o-w ${quoted(path)}` };
  }
  if (stats.uid === ownUid || stats.uid === ROOT || ownUid === ROOT) return null;
  return {
    says: `${path} belongs to another user (id ${stats.uid}), who may change it at any time`,
    todo: `${OTHERS_TODO}, or as root: chown ${ownUid} ${quoted(path)}`,
  };
}

/** @throws StoreFault for the first file that another user may change */
export function requireOwnFiles(files: readonly string[]): void {
  for (const file of files) {
    const problem = ownershipProblem(file);
    if (problem !== null)
      throw new StoreFault(`${problem.says}; nothing was opened. What to do: ${problem.todo}`, 'unchanged');
  }
}

/** Undefined: there is no such file. */
function statsOf(path: string): Stats | 'locked' | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === 'EACCES') return 'locked';
    throw error;
  }
}

/** Quotes the path for a shell. */
function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
