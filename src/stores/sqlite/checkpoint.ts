/**
 * Moves what is in the log into the database file, so that the log stays small. Only whoever has the duty does this:
 * many checkpointing processes cost each other time, and once cost people their data.
 */
import { statSync } from 'node:fs';
import { isBusy, prepare, type Database } from './binding.ts';

/** About a thousand pages: below it, reading the log is as fast as reading the file. */
const WORTH_BYTES = 4 * 1024 * 1024;
/** A log of this size is worth asking everybody to begin it anew. */
const TOO_LARGE_BYTES = 32 * 1024 * 1024;

export function checkpoint(database: Database, path: string): void {
  const bytes = sizeOf(`${path}-wal`);
  if (bytes < WORTH_BYTES) return;
  try {
    // Copying goes on beside writers; beginning anew needs a moment without any, and by then little is left to copy.
    prepare(database, 'PRAGMA wal_checkpoint(PASSIVE)').get();
    if (bytes > TOO_LARGE_BYTES) prepare(database, 'PRAGMA wal_checkpoint(RESTART)').get();
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
