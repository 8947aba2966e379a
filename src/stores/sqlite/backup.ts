/**
 * Copies the whole database at one moment, while other processes write. The copy can replace the original while no
 * process uses it.
 */
import { messageOf } from '../../foundation/error-message.ts';
import { existsSync, rmSync } from 'node:fs';
import { draftBeside, FileExists, publishDraft } from '../../foundation/atomic-file.ts';
import { StoreFault } from '../store.ts';
import { diskErrorText, isFromDatabase, openDatabase, prepare, type Database } from './binding.ts';

export interface Backup {
  readonly bytes: number;
  readonly handoffs: number;
}

export function backUp(from: string, to: string, options: { readonly replace: boolean }): Backup {
  if (!existsSync(from)) throw new StoreFault(`there is no database ${from}`, 'unchanged');
  if (!options.replace && existsSync(to)) throw new FileExists(to);
  const draft = draftBeside(to);
  try {
    withDatabase(from, (database) => prepare(database, 'VACUUM INTO ?').run(draft));
    const backup = withDatabase(draft, checked);
    publishDraft(draft, to, { ...options, mode: 0o600 });
    return backup;
  } catch (error) {
    if (!isFromDatabase(error)) throw error;
    const says = diskErrorText(error) ?? messageOf(error);
    throw new StoreFault(`could not back up ${from}: ${says}`, 'unchanged', { cause: error });
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(draft + suffix, { force: true });
  }
}

/** Sets WAL, which the copy does not inherit: without it several processes would block each other. */
function checked(database: Database): Backup {
  database.exec('PRAGMA journal_mode = wal');
  const lines = prepare(database, 'PRAGMA integrity_check(1)').all();
  if (lines[0]?.[0] !== 'ok') {
    throw new StoreFault(
      `the copy is damaged (${String(lines[0]?.[0])}): look at the original with: baton doctor`,
      'unchanged',
    );
  }
  const pages = Number(prepare(database, 'PRAGMA page_count').get()?.[0]);
  const pageBytes = Number(prepare(database, 'PRAGMA page_size').get()?.[0]);
  return { bytes: pages * pageBytes, handoffs: Number(prepare(database, 'SELECT count(*) FROM handoff').get()?.[0]) };
}

function withDatabase<Answer>(path: string, act: (database: Database) => Answer): Answer {
  const database = openDatabase(path, { sync: 'full' });
  try {
    return act(database);
  } finally {
    database.close();
  }
}
