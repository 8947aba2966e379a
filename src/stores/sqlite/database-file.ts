/**
 * The database file before it is a database: made whole or not at all, and never opened when it is not ours.
 */
import { messageOf } from '../../foundation/error-message.ts';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { draftBeside, FileExists, putInPlace } from '../../foundation/atomic-file.ts';
import { syncFolderSync } from '../../foundation/folder-sync.ts';
import { refuseFilesOfOthers } from '../../foundation/own-file.ts';
import { StoreFault } from '../store.ts';
import { diskTrouble, openEmptyDatabase } from './binding.ts';
import { readFileHeader, type FileHeader } from './file-header.ts';
import { nearestExisting, networkTypeOf } from './network-folder.ts';
import { schemaSince } from './schema.ts';

/** Makes the file if it is missing (several processes may try at once), and refuses one that is not ours. */
export function ensureDatabaseFile(path: string): void {
  const folder = dirname(path);
  refuseNetworkFolder(folder);
  if (!existsSync(path)) makeDatabase(path);
  refuseFilesOfOthers(databaseFiles(path));
  refuseForeignFile(path);
}

/** The file, the two that SQLite keeps beside it, and the folder in which all of them could be replaced. */
export function databaseFiles(path: string): readonly string[] {
  return [dirname(path), path, `${path}-wal`, `${path}-shm`];
}

function refuseNetworkFolder(folder: string): void {
  const type = networkTypeOf(nearestExisting(folder));
  if (type === null) return;
  throw new StoreFault(
    `${folder} is on a network file system (${type}), where SQLite databases get damaged: ` +
      'use a local folder, or PostgreSQL (--database postgres://…)',
    'unchanged',
  );
}

function makeDatabase(path: string): void {
  const folder = dirname(path);
  // Other processes never see a half-made database: it is made under another name, which is then given a second one.
  let draft: string | null = null;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    draft = draftBeside(path);
    const database = openEmptyDatabase(draft);
    try {
      database.exec(`PRAGMA synchronous = full; PRAGMA page_size = 4096; BEGIN; ${schemaSince(0)} COMMIT;`);
      database.exec('PRAGMA journal_mode = wal');
    } finally {
      database.close();
    }
    putInPlace(draft, path, { replace: false });
    syncFoldersAbove(folder);
  } catch (error) {
    if (error instanceof FileExists) return;
    throw new StoreFault(
      `could not make the database ${path}: ${diskTrouble(error) ?? messageOf(error)}`,
      'unchanged',
      {
        cause: error,
      },
    );
  } finally {
    if (draft !== null) for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(draft + suffix, { force: true });
  }
}

function refuseForeignFile(path: string): void {
  let header: FileHeader;
  try {
    header = readFileHeader(path);
  } catch (error) {
    throw new StoreFault(`cannot read ${path}: ${messageOf(error)}`, 'unchanged', { cause: error });
  }
  if (!header.isSqlite) throw new StoreFault(`${path} is not a SQLite database; it was left as it is`, 'unchanged');
  if (!header.isOurs) {
    throw new StoreFault(`${path} is a database of another program; it was left as it is`, 'unchanged');
  }
}

/** The folder may be as new as what is in it, and is then lost with it. Those that we may not open are not ours. */
function syncFoldersAbove(folder: string): void {
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    try {
      syncFolderSync(above);
    } catch {
      return;
    }
  }
}
