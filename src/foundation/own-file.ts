/**
 * Who may change our files. A user who can write the database, or replace it, controls all work in it. So a file that every
 * user can change, or that another user owns, is refused before it is opened.
 *
 * Windows has neither modes nor owners of this kind: there nothing is looked at. Root may use the files of others,
 * because a container often runs as root over a folder of its user.
 */
import { statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { StoreFault } from './store-fault.ts';
import { codeOf } from './system-error-code.ts';

export interface OwnFileFlaw {
  readonly says: string;
  /** The command that puts it right. */
  readonly todo: string;
}

/** The mode of our folders, less the umask: only the owner may write. */
export const OUR_FOLDER_MODE = 0o755;

const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const ROOT = 0;
const OTHERS_TODO = 'run Baton as that user, or make a workspace of your own in another folder (baton init)';

/** `us` is our user id; null where the system has none. */
export function flawOfOwnFile(path: string, us: number | null = process.getuid?.() ?? null): OwnFileFlaw | null {
  const stats = us === null ? undefined : statsOf(path);
  if (stats === undefined) return null;
  if (stats === 'locked') {
    const folder = dirname(path);
    return {
      says: `${folder} belongs to another user (id ${statSync(folder).uid}), and you (id ${us}) may not look into it`,
      todo: OTHERS_TODO,
    };
  }
  // In a sticky folder, such as `/tmp`, users cannot move or replace the files of others.
  const isShared = stats.isDirectory() && (stats.mode & STICKY) !== 0;
  if ((stats.mode & OTHERS_WRITE) !== 0 && !isShared) {
    const mode = (stats.mode & 0o777).toString(8);
    return { says: `every user of this machine may change ${path} (mode ${mode})`, todo: `chmod o-w ${quoted(path)}` };
  }
  if (stats.uid === us || stats.uid === ROOT || us === ROOT) return null;
  return {
    says: `${path} belongs to another user (id ${stats.uid}), who may change it at any time`,
    todo: `${OTHERS_TODO}, or as root: chown ${us} ${quoted(path)}`,
  };
}

/** @throws StoreFault for the first file that another user may change */
export function refuseFilesOfOthers(files: readonly string[]): void {
  for (const file of files) {
    const flaw = flawOfOwnFile(file);
    if (flaw !== null) throw new StoreFault(`${flaw.says}; nothing was opened. What to do: ${flaw.todo}`, 'unchanged');
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

/** For a shell. */
function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
