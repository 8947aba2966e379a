/**
 * Examines a SQLite file with plain file calls: whether it is a Baton database, and whether this user may use it.
 *
 * A version in the first page says nothing when the page is not one of a database.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../foundation/system-error-code.ts';
import type { HealthCheck } from '../../engine/health-checks.ts';
import { readFileHeader } from '../../stores/sqlite/file-header.ts';

/** `accessSync` of Node; tests pass another one. */
export type AccessCheck = (path: string, mode: number) => void;

/** A problem, or the version of its schema; null where there is no file. */
export function examineFile(path: string, checkAccess: AccessCheck = accessSync): HealthCheck | number | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (!stats.isFile()) return problem(`${path} is not a file`, 'name the database file, or move this away');
  const forbidden = forbiddenIn(path, checkAccess);
  if (forbidden?.verdict === 'problem') return forbidden;
  if (stats.size === 0) {
    // For SQLite this would be a new database. Baton's are made whole before they get their name.
    const says = `${path} is empty: its content is lost, or it never was a database (Baton never creates an empty file)`;
    return problem(says, restoring(path));
  }
  const header = readFileHeader(path);
  if (!header.isSqlite) {
    return problem(`${path} is not a SQLite database: it has another file header`, restoring(path));
  }
  if (!header.isOurs) {
    return problem(`${path} is a database of another program`, 'name another file, or move this one away');
  }
  return forbidden ?? header.version;
}

/** How a damaged database is replaced. A log that is left beside the new file would be written into it. */
export function restoring(path: string): string {
  return (
    `stop all workers and move ${path} aside, with its -wal and -shm; then put a copy made by baton backup in its ` +
    'place, or make a new one with baton init and fill it from an export with: baton import FILE'
  );
}

/** SQLite writes into the file and makes others beside it, even for a reader. */
function forbiddenIn(path: string, checkAccess: AccessCheck): HealthCheck | null {
  const { R_OK, W_OK, X_OK } = constants;
  const folder = dirname(path);
  const beside = ['-wal', '-shm'].map((suffix) => path + suffix).filter((file) => existsSync(file));
  const needed: readonly (readonly [string, string, string, number])[] = [
    [folder, 'the folder ', 'rwx', R_OK | W_OK | X_OK],
    ...[path, ...beside].map((file) => [file, '', 'rw', R_OK | W_OK] as const),
  ];
  for (const [place, what, right, mode] of needed) {
    try {
      checkAccess(place, mode);
    } catch (error) {
      const code = codeOf(error) ?? String(error);
      if (code === 'EROFS') {
        const says = `${what}${place} is on a file system that is mounted read-only`;
        const todo = 'the database can only be read; mount it for writing, or copy the database to another folder';
        return { name: 'database', verdict: 'warning', says, todo };
      }
      const todo = `as its owner: chmod u+${right} ${place}; if it belongs to somebody else, run baton as that user`;
      return problem(`${what}${place} may not be read and written by this user (${code})`, todo);
    }
  }
  return null;
}

function problem(says: string, todo: string): HealthCheck {
  return { name: 'database', verdict: 'problem', says, todo };
}
