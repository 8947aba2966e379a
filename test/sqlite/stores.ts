/** SQLite without a process in between: a new database for the test that calls it, as a store or as bare tables. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/foundation/clock.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { openDatabase, type Database } from '../../src/stores/sqlite/binding.ts';
import { ensureDatabaseFile } from '../../src/stores/sqlite/database-file.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open-sqlite-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { tempFolder } from '../support/processes.ts';
import { putDatabase } from '../support/sqlite-with-tables.ts';

export function newPath(): string {
  return join(tempFolder(), '.baton', 'baton.db');
}

export function openStore(path: string = pathWithTables()): Store {
  const store = openForgettableStore(path);
  onTestFinished(async () => store.close());
  return store;
}

function pathWithTables(): string {
  const path = newPath();
  putDatabase(path);
  return path;
}

/** Whoever opens it has to close it; nothing here keeps it in memory. */
export function openForgettableStore(path: string): Store {
  return openSqliteStore({ path, limits: NO_LIMITS, clock: systemClock, random: systemRandom, boot: 'this boot' });
}

/** The tables themselves, with nobody to say what may be written into them but their own checks. */
export function openTables(path: string = newPath()): Database {
  ensureDatabaseFile(path);
  const database = openDatabase(path, { sync: 'normal' });
  onTestFinished(() => database.close());
  return database;
}
