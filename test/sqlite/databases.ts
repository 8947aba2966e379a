import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/foundation/clock.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { openDatabase, type Database } from '../../src/stores/sqlite/binding.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open-sqlite-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { tempFolder } from '../support/processes.ts';

/** A store of our own making, and a second look at its file. */
export function openStoreAndFile(): { readonly store: Store; readonly database: Database; readonly folder: string } {
  const folder = tempFolder();
  const path = join(folder, 'baton.db');
  const store = openSqliteStore({ path, limits: NO_LIMITS, clock: systemClock, random: systemRandom, boot: 'a boot' });
  const database = openDatabase(path, { sync: 'normal' });
  onTestFinished(async () => {
    database.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { store, database, folder };
}
