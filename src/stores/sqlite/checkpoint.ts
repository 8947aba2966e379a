/**
 * Moves the log into the database file, so that the log stays small. Only the duty holder does this: several
 * checkpointing processes slow each other down, and older versions of SQLite could damage the database.
 */
import { statSync } from 'node:fs';
import type { Timers } from '../../foundation/clock.ts';
import { orNull } from '../../foundation/or-null.ts';
import { jittered, type Random } from '../../foundation/random.ts';
import { isBusy, prepare, type Database, type LockWait } from './binding.ts';

/** About a thousand pages: reading a smaller log is as fast as reading the file. */
const WORTH_BYTES = 4 * 1024 * 1024;
/** A log of this many pages is restarted, for which all writers wait. */
const TOO_MANY_PAGES = 8_000;
/** A restart needs a moment without writers. Until it succeeds, the log keeps growing. */
const TRIES_MAX = 50;
const TRY_AGAIN_MS = 3;

export async function checkpoint(
  database: Database,
  path: string,
  { timers, random, lockWait }: { readonly timers: Timers; readonly random: Random; readonly lockWait: LockWait },
): Promise<void> {
  if ((orNull(() => statSync(`${path}-wal`))?.size ?? 0) < WORTH_BYTES) return;
  // First copy while others write, so that the restart has little left to copy.
  lockWait.enable();
  const { pages } = run(database, 'PASSIVE');
  for (let tries = 0; pages > TOO_MANY_PAGES && tries < TRIES_MAX && database.isOpen; tries += 1) {
    lockWait.enable();
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
