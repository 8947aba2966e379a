import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase, prepare } from '../../src/stores/sqlite/binding.ts';
import { ensureDatabaseFile } from '../../src/stores/sqlite/database-file.ts';
import { APPLICATION_ID, SCHEMA_VERSION } from '../../src/stores/sqlite/schema.ts';
import { jsonLines } from '../cli/workspaces.ts';
import { usePrograms } from '../crash/built-programs.ts';
import { complaintsAbout, everythingIn } from '../crash/soundness.ts';
import { tempFolder, until } from '../support/processes.ts';
import { newPath, openStore, openTables } from './stores.ts';

const OPENERS = 8;
const BEGIN_IN_MS = 300;

const programs = usePrograms([new URL('../crash/programs/opener.ts', import.meta.url)]);

describe('a new database', () => {
  it('I3, I21: is one and the same for all processes that make it at once', async () => {
    const path = newPath();
    const database = { kind: 'sqlite', path } as const;
    const openers = Array.from({ length: OPENERS }, () => programs.start('opener', { database }, { input: 'open' }));
    await until('all are ready', () => openers.every((opener) => opener.stdout().includes('ready')));
    expect(existsSync(path)).toBe(false);
    const atMs = Date.now() + BEGIN_IN_MS;
    for (const opener of openers) opener.say(`${atMs}\n`);
    const ended = await Promise.all(openers.map((opener) => opener.ended));
    expect(ended.filter(({ code, stderr }) => code !== 0 || stderr !== '')).toEqual([]);

    const sent = ended.map(({ stdout }) => (jsonLines(stdout).at(-1) as { sent: string }).sent);
    const store = openStore(path);
    const { handoffs } = await everythingIn(store);
    expect([...handoffs.keys()].toSorted()).toEqual(sent.toSorted());
    expect(await complaintsAbout(store, database)).toEqual([]);
    const drafts = readdirSync(dirname(path)).filter((name) => name.includes('draft'));
    expect(drafts).toEqual([]);
  });

  it('bears our mark, our version and a log, and its folder is private', () => {
    const path = newPath();
    const tables = openTables(path);
    const pragma = (name: string): unknown => prepare(tables, `PRAGMA ${name}`).get()?.[0];
    expect(pragma('application_id')).toBe(APPLICATION_ID);
    expect(pragma('user_version')).toBe(SCHEMA_VERSION);
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('foreign_keys')).toBe(1);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  it('leaves what is there alone: a second making changes nothing', () => {
    const path = newPath();
    ensureDatabaseFile(path);
    const { ino, mtimeMs } = statSync(path);
    ensureDatabaseFile(path);
    expect(statSync(path)).toMatchObject({ ino, mtimeMs });
  });

  it('is not begun by opening one that has gone', () => {
    const folder = join(tempFolder(), '.baton');
    mkdirSync(folder);
    const path = join(folder, 'baton.db');
    ensureDatabaseFile(path);
    const gone = join(folder, 'gone.db');
    expect(() => openDatabase(gone, { sync: 'full' })).toThrow('unable to open database file');
    expect(existsSync(gone)).toBe(false);
  });
});
