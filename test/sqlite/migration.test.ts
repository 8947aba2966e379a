/** A file of the first version is brought up to date by whoever opens it first, with everything that is in it. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import { NO_LINEAGE } from '../../src/domain/handoff.ts';
import { openDatabase, openEmptyDatabase, prepare, type Database } from '../../src/stores/sqlite/binding.ts';
import { SCHEMA_VERSION, schemaSince } from '../../src/stores/sqlite/schema.ts';
import type { Store } from '../../src/stores/store.ts';
import { jsonLines } from '../cli/workspaces.ts';
import {
  acceptBy,
  agentOf,
  deliverAndVerify,
  idOf,
  openingOf,
  openingsOf,
  processOf,
  SESSION,
  WORKER,
} from '../contract/builders.ts';
import { ALL, everythingIn, put } from '../contract/store-checks.ts';
import { usePrograms } from '../crash/built-programs.ts';
import { complaintsAbout } from '../crash/soundness.ts';
import { until } from '../support/processes.ts';
import { newPath, openForgettableStore, openStore } from './stores.ts';

const OPENERS = 6;
const BEGIN_IN_MS = 300;

const programs = usePrograms([new URL('../crash/programs/opener.ts', import.meta.url)]);

async function fill(store: Store): Promise<void> {
  await store.sessions.open({ id: SESSION, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
  await put(store, openingOf({ id: 'root', title: 'The first one', task: 'T-1' }));
  await put(store, openingOf({ id: 'heir', lineage: { ...NO_LINEAGE, root: idOf('root'), parent: idOf('root') } }));
  await put(store, openingOf({ id: 'queued', queued: true }), openingOf({ id: 'waits', dependsOn: ['root'] }));
  await put(store, openingOf({ id: 'told', effects: [{ key: 'k', kind: 'notify', payload: '1' as never }] }));
  await put(store, ...openingsOf(1000, 'many', { title: 'One of many' }));
  await store.change([idOf('root')], acceptBy());
  await store.change([idOf('root')], deliverAndVerify(1));
}

const FIRST_TABLES = 'agent session handoff body outcome fact dependency request effect duty'.split(' ');

/** The same records in a file as the first version made it. */
async function firstVersion(): Promise<{ readonly path: string; readonly before: unknown }> {
  const [newer, path] = [newPath(), newPath()];
  const store = openForgettableStore(newer);
  await fill(store);
  const before = await everythingIn(store);
  await store.close();
  mkdirSync(dirname(path));
  const database = openEmptyDatabase(path);
  database.exec(`BEGIN; ${schemaSince(0, 1)} COMMIT; PRAGMA journal_mode = wal; ATTACH '${newer}' AS newer; BEGIN`);
  for (const table of FIRST_TABLES) {
    // What came later stands at the end and is left out.
    const names = database.prepare(`SELECT name FROM pragma_table_info('${table}', 'main')`).all();
    const columns = names.map((row) => String(Object.values(row as object)[0])).join(', ');
    database.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM newer.${table}`);
  }
  database.exec('COMMIT');
  expect(versionOf(database)).toBe(1);
  database.close();
  return { path, before };
}

function versionOf(database: Database): number {
  return prepare(database, 'PRAGMA user_version').get()?.[0] as number;
}

async function ids(page: ReturnType<Store['find']>): Promise<readonly string[]> {
  return (await page).items.map(({ id }) => id);
}

describe('a file of the first version', () => {
  it('I21: is brought up to date with all that is in it, and what is new finds what is old', async () => {
    const { path, before } = await firstVersion();
    const [store, other] = [openStore(path), openStore(path)];
    expect(await everythingIn(store)).toEqual(before);
    expect(await complaintsAbout(other, { kind: 'sqlite', path })).toEqual([]);
    expect(await ids(store.find({ by: 'filter', text: 'first', max: ALL }))).toEqual(['root']);
    expect(await ids(other.find({ by: 'filter', text: 'many', max: ALL }))).toHaveLength(1000);
    expect(await ids(store.find({ by: 'chain', root: idOf('root'), max: ALL }))).toEqual(['root', 'heir']);
    expect(await ids(store.find({ by: 'places', max: ALL }))).toEqual(['queued']);
    expect(await ids(store.find({ by: 'filter', agent: agentOf('sender'), task: 'T-1', max: ALL }))).toEqual(['root']);
    expect(await store.tokens.list()).toEqual([]);
  });

  it('I3, I21: several processes open it at once while one of the first version writes, and nothing is lost', async () => {
    const { path } = await firstVersion();
    const database = { kind: 'sqlite', path } as const;
    const older = openDatabase(path, { sync: 'full' });
    const openers = Array.from({ length: OPENERS }, () => programs.start('opener', { database }, { input: 'open' }));
    await until('all are ready', () => openers.every((opener) => opener.stdout().includes('ready')));
    const atMs = Date.now() + BEGIN_IN_MS;
    for (const opener of openers) opener.say(`${atMs}\n`);
    const written = await writeAsFirst(older);
    const ended = await Promise.all(openers.map((opener) => opener.ended));
    expect(ended.filter(({ code, stderr }) => code !== 0 || stderr !== '')).toEqual([]);
    const sent = ended.map(({ stdout }) => (jsonLines(stdout).at(-1) as { sent: string }).sent);

    const store = openStore(path);
    expect(versionOf(older)).toBe(SCHEMA_VERSION);
    expect(prepare(older, 'SELECT count(*) FROM request').get()?.[0]).toBe(written);
    expect(written).toBeGreaterThan(0);
    older.close();
    for (const id of sent) expect(await store.load(idOf(id))).not.toBeNull();
    expect(await ids(store.find({ by: 'filter', text: 'many', max: ALL }))).toHaveLength(1000);
    expect(await complaintsAbout(store, database)).toEqual([]);
  });
});

/** Writes for as long as the file is of the first version, looking at it under the lock as the first version does. */
async function writeAsFirst(database: Database): Promise<number> {
  for (let written = 0; ;) {
    await new Promise(setImmediate);
    try {
      database.exec('BEGIN IMMEDIATE');
    } catch {
      continue;
    }
    const isOurs = versionOf(database) === 1;
    if (isOurs) database.exec(`INSERT INTO request VALUES ('older', 'key ${written}', 'h', 1, '[]')`);
    database.exec('COMMIT');
    if (!isOurs) return written;
    written += 1;
  }
}

describe('tokens of version 3', () => {
  const record = (agent: string | null, label: string, scopes: readonly string[] = ['read', 'write']): string =>
    JSON.stringify({ agent, roles: [], scopes, label, createdAt: 5, expiresAt: 6 });

  it.each([
    {
      what: 'an operator token, also an expired one, closes the bootstrap',
      record: record(null, 'first'),
      open: false,
    },
    { what: 'a token of an agent leaves it open', record: record('dev', 'first'), open: true },
    { what: 'a token that only reads leaves it open', record: record(null, 'first', ['read']), open: true },
    { what: 'the token of a server leaves it open', record: record(null, 'baton serve, process 7'), open: true },
  ])('$what, and is in the log', async ({ record: text, open }) => {
    const path = newPath();
    mkdirSync(dirname(path));
    const database = openEmptyDatabase(path);
    database.exec(`BEGIN; ${schemaSince(0, 3)} COMMIT; PRAGMA journal_mode = wal`);
    prepare(database, 'INSERT INTO token VALUES (?, ?, ?, ?)').run('tok-1', 'h', text, null);
    database.close();
    const store = openStore(path);
    expect(await store.tokens.bootstrapIsOpen()).toBe(open);
    expect((await store.tokens.log({ max: 5 })).items).toMatchObject([{ what: 'minted', token: 'tok-1', at: 5 }]);
    expect(await store.tokens.byHash('h')).toMatchObject({ id: 'tok-1', expiresAt: 6, keepsLeases: false });
  });
});
