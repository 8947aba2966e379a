/**
 * Creates the database file, as a whole or not at all, and refuses to open a file that is not ours.
 */
import { messageOf } from '../../foundation/error-message.ts';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { draftBeside, FileExists, publishDraft } from '../../foundation/atomic-file.ts';
import { syncFolderSync } from '../../foundation/folder-sync.ts';
import { requireOwnFiles } from '../../foundation/file-ownership.ts';
import { StoreFault } from '../store.ts';
import { diskErrorText, openEmptyDatabase } from './binding.ts';
import { readFileHeader, type FileHeader } from './file-header.ts';
import { networkTypeAt } from './network-folder.ts';
import { schemaSince } from './schema.ts';

/** Creates a missing file (several processes may try at once), and refuses a file that is not ours. */
export function ensureDatabaseFile(path: string): void {
  const folder = dirname(path);
  refuseNetworkFolder(folder);
  if (!existsSync(path)) makeDatabase(path);
  requireOwnFiles(databaseFiles(path));
  refuseForeignFile(path);
}

/** The file, the two that SQLite keeps beside it, and their folder, whose owner could replace all of them. */
export function databaseFiles(path: string): readonly string[] {
  return [dirname(path), path, `${path}-wal`, `${path}-shm`];
}

function refuseNetworkFolder(folder: string): void {
  const type = networkTypeAt(folder);
  if (type === null) return;
  throw new StoreFault(
    `${folder} is on a network file system (${type}), where SQLite databases get damaged: ` +
      'use a local folder, or PostgreSQL (--database postgres://…)',
    'unchanged',
  );
}

function makeDatabase(path: string): void {
  const folder = dirname(path);
  // Created under a draft name and then renamed, so that other processes never see an incomplete database.
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
    publishDraft(draft, path, { replace: false });
    syncFoldersAbove(folder);
  } catch (error) {
    if (error instanceof FileExists) return;
    throw new StoreFault(
      `could not make the database ${path}: ${diskErrorText(error) ?? messageOf(error)}`,
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

/** A power cut can lose a new folder with its content. Folders that we may not open are not new. */
function syncFoldersAbove(folder: string): void {
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    try {
      syncFolderSync(above);
    } catch {
      return;
    }
  }
}
