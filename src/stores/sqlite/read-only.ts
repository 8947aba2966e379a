/**
 * A database where nothing can be written: on a read-only file system, on a full disk, or without the right to.
 *
 * SQLite needs an index of the log beside the file even for reading. Where it is there, everything can be seen. Where it
 * cannot be made, the file is read by itself, and what stands only in the log is not seen.
 */
import { messageOf } from '../../foundation/error-message.ts';
import { statSync } from 'node:fs';
import { diskTrouble, isUnwritable, openDatabase, type Database, type OpenOptions } from './binding.ts';

export interface Opened {
  readonly database: Database;
  /** Why nothing can be written, and what cannot be seen; null where it can. */
  readonly readOnly: string | null;
}

/** Opens for reading: falls back where the file cannot be written. */
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
  const disk = diskTrouble(cause);
  if (disk !== null) return disk.split(':', 1)[0] ?? disk;
  return messageOf(cause);
}
