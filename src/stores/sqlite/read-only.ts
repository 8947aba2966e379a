/**
 * Opens a database that cannot be written: on a read-only file system, on a full disk, or without permission.
 *
 * SQLite needs an index of the log even for reading. If it exists, everything can be read. If it cannot be created, only
 * the file is read, without what stands only in the log.
 */
import { messageOf } from '../../foundation/error-message.ts';
import { statSync } from 'node:fs';
import { diskErrorText, isUnwritable, openDatabase, type Database, type OpenOptions } from './binding.ts';

export interface Opened {
  readonly database: Database;
  /** Why nothing can be written, and what cannot be read. Null: the database can be written. */
  readonly readOnly: string | null;
}

/** Opens for writing, and falls back to reading where the file cannot be written. */
export function openToRead(path: string, options: OpenOptions): Opened {
  try {
    return { database: openDatabase(path, options), readOnly: null };
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return openUnwritable(path, options, error);
  }
}

function openUnwritable(path: string, options: OpenOptions, cause: unknown): Opened {
  const why = `${path} cannot be written (${reasonOf(cause)}): it is only read`;
  try {
    return { database: openDatabase(path, { ...options, access: 'read' }), readOnly: why };
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    const database = openDatabase(path, { ...options, access: 'frozen' });
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
    const unseen = log === undefined || log.size === 0 ? '' : `; what stands only in ${path}-wal is not shown`;
    return { database, readOnly: `${why}${unseen}` };
  }
}

function reasonOf(cause: unknown): string {
  const disk = diskErrorText(cause);
  if (disk !== null) return disk.split(':', 1)[0] ?? disk;
  return messageOf(cause);
}
