/**
 * Moves what is in the log into the database file, so that the log stays small. Only whoever has the duty does this:
 * many checkpointing processes cost each other time, and once cost people their data.
 */
import { statSync } from 'node:fs';
import type { Timers } from '../../foundation/clock.ts';
import { jittered, type Random } from '../../foundation/random.ts';
import { isBusy, prepare, type Database, type LockWait } from './binding.ts';

/** About a thousand pages: below it, reading the log is as fast as reading the file. */
const WORTH_BYTES = 4 * 1024 * 1024;
/** A log of this many pages is worth asking everybody to begin it anew. */
const TOO_MANY_PAGES = 8_000;
/** Among many writers the moment without any does not come at the first try; the log grows without end until it does. */
const TRIES_MAX = 50;
const TRY_AGAIN_MS = 3;

export async function checkpoint(
  database: Database,
  path: string,
  { timers, random, lockWait }: { readonly timers: Timers; readonly random: Random; readonly lockWait: LockWait },
): Promise<void> {
  if (sizeOf(`${path}-wal`) < WORTH_BYTES) return;
  // Copying goes on beside writers; beginning anew needs a moment without any, and by then little is left to copy.
  lockWait.usually();
  const { pages } = run(database, 'PASSIVE');
  for (let tries = 0; pages > TOO_MANY_PAGES && tries < TRIES_MAX && database.isOpen; tries += 1) {
    lockWait.usually();
    if (run(database, 'RESTART').done) return;
    await timers.sleep(jittered(TRY_AGAIN_MS, random));
  }
}

function run(database: Database, mode: 'PASSIVE' | 'RESTART'): { readonly done: boolean; readonly pages: number } {
  try {
    const [busy, pages] = (prepare(database, `PRAGMA wal_checkpoint(${mode})`).get() ?? []) as readonly number[];
    return { done: busy === 0, pages: pages ?? 0 };
  } catch (error) {
    if (!isBusy(error)) throw error;
    return { done: false, pages: 0 };
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
