import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS, SCHEMA_VERSION } from '../../src/stores/postgres/schema.ts';
import { describeWithServer } from '../postgres/fixture.ts';
import { fillSample, fixturePath, mayStore, recordLines, storedBytes, storedLines, storedVersions } from './stored.ts';

const VERSIONS = storedVersions('postgres', SCHEMA_VERSION);
const nameOf = (version: number): string => `postgres-${version}.sql.gz`;
const TABLES = 'handoff body outcome dependency request session duty place'.split(' ');

await describeWithServer('a PostgreSQL database', 'shared', (fixture) => {
  /** The newest version writes the records; the tables of an older one take of them what it had. */
  const storeVersion = async (version: number): Promise<void> => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    await fillSample(store);
    await store.close();
    const sql = fixture.server.sql(name);
    await sql.unsafe(`alter schema baton rename to newer; create schema baton;
      create table baton.schema_version (one boolean primary key default true check (one), version integer not null);
      insert into baton.schema_version (version) values (${version}); ${MIGRATIONS.slice(0, version).join('\n')}`);
    const columns = await sql<{ table: string; names: string }[]>`
      select table_name as table, string_agg(quote_ident(column_name), ', ') as names
      from information_schema.columns where table_schema = 'baton' group by table_name`;
    const namesIn = (table: string): string => columns.find((each) => each.table === table)?.names ?? '';
    const copies = TABLES.map(
      (table) => `insert into baton.${table} (${namesIn(table)}) overriding system value
        select ${namesIn(table)} from newer.${table} on conflict do nothing;`,
    );
    const facts = namesIn('fact')
      .split(', ')
      .filter((column) => column !== 'seq' && column !== 'xid')
      .join(', ');
    await sql.unsafe(`${copies.join('\n')}
      insert into baton.fact (${facts}, xid) select ${facts}, '3' from newer.fact order by xid, seq;
      select setval('baton.handoff_n', (select max(n) from baton.body)); drop schema newer cascade`);
    const dump = execFileSync('pg_dump', ['--schema=baton', '--inserts', '--no-owner', '--no-privileges', '-d', url], {
      maxBuffer: 16 * 1024 * 1024,
    });
    // What is for the terminal client or this version of the server alone. All names have their schema.
    const text = dump
      .toString('utf8')
      .replaceAll(/^(?:\\|SET (?!check_function_bodies)|SELECT pg_catalog\.set_config).*\n/gm, '');
    writeFileSync(fixturePath(nameOf(version)), gzipSync(text));
  };

  describe.each(VERSIONS)('of version %i', (version) => {
    it('I21: is stored, opens, is brought up to date with its records in every state, and an audit finds nothing', async () => {
      if (mayStore && !existsSync(fixturePath(nameOf(version)))) await storeVersion(version);
      const { url, name } = await fixture.database();
      const sql = fixture.server.sql(name);
      await sql.unsafe(storedBytes(nameOf(version)).toString('utf8'));
      expect(await sql`select version from baton.schema_version`).toEqual([{ version }]);
      const store = await fixture.open(url);
      expect(await recordLines(store)).toEqual(storedLines());
      // The server of the tests does not wait for its disk, and says so.
      expect((await store.upkeep.audit()).filter(({ what }) => what !== 'setting')).toEqual([]);
    });
  });
});
