import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase, openEmptyDatabase } from '../../src/stores/sqlite/binding.ts';
import { SCHEMA_VERSION } from '../../src/stores/sqlite/schema.ts';
import { makeWorkspace, sqliteWithoutFile, type Workspace } from '../cli/workspaces.ts';
import { refused } from './answers.ts';

const COMMANDS = [['send', '--from', 'a', '--to', 'b'], ['wait', 'hoff-1'], ['work', 'b', '--', 'cat'], ['init']];

interface Foreign {
  readonly what: string;
  readonly put: (path: string, workspace: Workspace) => Promise<void> | void;
  readonly says: string;
}

const FOREIGN: readonly Foreign[] = [
  {
    what: 'a text file',
    put: (path) => writeFileSync(path, 'dear diary\n'.repeat(100)),
    says: 'is not a SQLite database; it was left as it is',
  },
  { what: 'an empty file', put: (path) => writeFileSync(path, ''), says: 'is not a SQLite database' },
  { what: 'a few bytes', put: (path) => writeFileSync(path, 'SQLite format'), says: 'is not a SQLite database' },
  {
    what: 'a database of another program',
    put: (path) => {
      const database = openEmptyDatabase(path);
      database.exec('CREATE TABLE diary (entry TEXT); INSERT INTO diary VALUES (1)');
      database.close();
    },
    says: 'is a database of another program; it was left as it is',
  },
  {
    what: 'a database of another program, with a log',
    put: (path) => {
      const database = openEmptyDatabase(path);
      database.exec('PRAGMA journal_mode = wal; CREATE TABLE diary (entry TEXT); INSERT INTO diary VALUES (1)');
      database.close();
    },
    says: 'is a database of another program; it was left as it is',
  },
  {
    what: 'our database in a newer version',
    put: async (path, { send }) => {
      await send('@react');
      const database = openDatabase(path, { sync: 'full' });
      database.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      database.close();
    },
    says: `has schema version ${SCHEMA_VERSION + 1}, this Baton knows version ${SCHEMA_VERSION}: install a newer Baton`,
  },
  {
    what: 'our database, cut off',
    put: async (path, { send }) => {
      await send('@react');
      truncateSync(path, 6_000);
    },
    says: 'the database file is damaged: stop all processes, keep a copy of .baton/, and restore a backup',
  },
];

describe('in the place of our database', () => {
  it.each(FOREIGN)('I4: $what is refused, and not a byte of it is changed', async ({ put, says }) => {
    const workspace = await makeWorkspace(sqliteWithoutFile);
    const path = join(workspace.folder, '.baton', 'baton.db');
    await put(path, workspace);
    const before = pictureOf(dirname(path));
    for (const command of COMMANDS) expect(await workspace.run(command)).toEqual(refused(1, says));
    expect(pictureOf(dirname(path))).toEqual(before);
  });

  it('a folder is refused', async () => {
    const { run, folder } = await makeWorkspace(sqliteWithoutFile);
    mkdirSync(join(folder, '.baton', 'baton.db'));
    for (const command of COMMANDS) expect(await run(command)).toEqual(refused(1, join(folder, '.baton/baton.db')));
  });

  it('a private folder that is a file is refused', async () => {
    const { run, folder } = await makeWorkspace(sqliteWithoutFile);
    rmSync(join(folder, '.baton'), { recursive: true });
    writeFileSync(join(folder, '.baton'), 'a file');
    for (const command of COMMANDS) expect(await run(command)).toEqual(refused(1, '.baton'));
    expect(readFileSync(join(folder, '.baton'), 'utf8')).toBe('a file');
  });

  it('I20: a link that leads elsewhere is not followed into a new database', async () => {
    const { run, folder } = await makeWorkspace(sqliteWithoutFile);
    const elsewhere = join(folder, 'elsewhere.db');
    symlinkSync(elsewhere, join(folder, '.baton', 'baton.db'));
    expect(await run(COMMANDS[0]!)).toEqual(refused(1, '.baton/baton.db'));
    expect(readdirSync(folder)).not.toContain('elsewhere.db');
  });
});

describe('a newer Baton on the same database', () => {
  it('I4: stops the older one at its next write', async () => {
    const { open, folder, send } = await makeWorkspace(sqliteWithoutFile);
    const id = await send('@react');
    const ctx = await open();
    const newer = openDatabase(join(folder, '.baton', 'baton.db'), { sync: 'full' });
    newer.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    newer.close();
    const change = ctx.store.change([id], () => ({ ok: false, refusal: { code: 'not-overdue', id } }));
    await expect(change).rejects.toThrow('install a newer Baton; the database was left as it is');
  });
});

/** Every file with the digest of its bytes; what only a running process has open does not count. */
function pictureOf(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ name }) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );
}
