/**
 * SQLite databases for tests of what is done with one. A copy takes a fifth of the processor time that it takes to make
 * one, and waits for no disk. How one is made is tested in `test/sqlite`, and by every test that runs `baton init`.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureDatabaseFile } from '../../src/stores/sqlite/database-file.ts';

/** Made once for all files that share this process. */
let withTables: Buffer | null = null;

/** Puts a database with our tables, and nothing in them, where there is none. */
export function putDatabase(path: string): void {
  if (existsSync(path)) return;
  withTables ??= makeOne();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, withTables);
}

function makeOne(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'baton-tables-'));
  try {
    const path = join(folder, 'baton.db');
    ensureDatabaseFile(path);
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
