/** A database of the first version is brought up to date by whoever opens it first, with everything that is in it. */
import { expect, it } from 'vitest';
import { NO_LINEAGE } from '../../src/domain/handoff.ts';
import { MIGRATIONS, SCHEMA_VERSION } from '../../src/stores/postgres/schema.ts';
import type { Store } from '../../src/stores/store.ts';
import { acceptBy, cancelled, idOf, openingOf, openingsOf } from '../contract/builders.ts';
import { ALL, everythingIn, put } from '../contract/store-checks.ts';
import { describeWithServer } from './fixture.ts';

const FIRST_TABLES = 'handoff body outcome dependency request session duty place'.split(' ');

async function ids(page: ReturnType<Store['find']>): Promise<readonly string[]> {
  return (await page).items.map(({ id }) => id);
}

await describeWithServer('a database of the first version', 'shared', (fixture) => {
  it('I21: is brought up to date once, by several at once, and what is new finds what is old', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    await put(store, openingOf({ id: 'root', title: 'The first one' }), ...openingsOf(300, 'many', { title: 'Many' }));
    await put(store, openingOf({ id: 'heir', lineage: { ...NO_LINEAGE, root: idOf('root') } }));
    await put(store, openingOf({ id: 'queued', queued: true }));
    await store.change([idOf('root')], acceptBy());
    await store.change([idOf('heir')], cancelled);
    const before = await everythingIn(store);
    await store.close();

    // The same rows in tables as the first version made them.
    const sql = fixture.server.sql(name);
    await sql.unsafe(`alter schema baton rename to newer; create schema baton;
      create table baton.schema_version (one boolean primary key default true check (one), version integer not null);
      insert into baton.schema_version (version) values (1); ${MIGRATIONS[0]}`);
    // Later versions have added columns; the first one had only these.
    const columns = await sql<{ table: string; names: string }[]>`
      select table_name as table, string_agg(quote_ident(column_name), ', ') as names
      from information_schema.columns where table_schema = 'baton' group by table_name`;
    const copies = FIRST_TABLES.map((table) => {
      const names = columns.find((each) => each.table === table)?.names;
      return `insert into baton.${table} (${names}) overriding system value select ${names} from newer.${table};`;
    });
    await sql.unsafe(`${copies.join('\n')}
      insert into baton.fact (n, revision, xid, at, by, step, attempt, fence, detail, hash)
        select n, revision, xid, at, by, step, attempt, fence, detail, hash from newer.fact order by xid, seq;
      select setval('baton.handoff_n', (select max(n) from baton.body)); drop schema newer cascade`);

    const stores = await Promise.all(Array.from({ length: 6 }, () => fixture.open(url)));
    expect(await sql`select version from baton.schema_version`).toEqual([{ version: SCHEMA_VERSION }]);
    const found = await Promise.all(
      stores.map(async (each) => (await ids(each.find({ by: 'filter', text: 'many', max: ALL }))).length),
    );
    expect(found).toEqual(stores.map(() => 300));
    const [again] = stores as [Store];
    expect(await everythingIn(again)).toEqual(before);
    expect(await ids(again.find({ by: 'filter', text: 'FIRST', max: ALL }))).toEqual(['root']);
    expect(await ids(again.find({ by: 'chain', root: idOf('root'), max: ALL }))).toEqual(['root', 'heir']);
    expect(await ids(again.find({ by: 'places', max: ALL }))).toEqual(['queued']);
    await put(again, openingOf({ id: 'new', title: 'many' }));
    expect(await ids(again.find({ by: 'filter', text: 'many', max: 1 }))).toEqual(['new']);
  });

  it('tokens of version 2 are in the log, and an operator token closes the bootstrap', async () => {
    const { url, name } = await fixture.database();
    const sql = fixture.server.sql(name);
    await sql.unsafe(`create schema baton;
      create table baton.schema_version (one boolean primary key default true check (one), version integer not null);
      insert into baton.schema_version (version) values (2); ${MIGRATIONS[0]} ${MIGRATIONS[1]}`);
    const server = { agent: null, roles: [], scopes: ['read', 'write'], label: 'baton serve, process 7', createdAt: 5 };
    const older = { ...server, label: 'first', createdAt: 4, expiresAt: 6 };
    await sql`insert into baton.token (id, hash, record) values ('tok-1', 'h1', ${JSON.stringify(server)})`;
    await sql`insert into baton.token (id, hash, record) values ('tok-2', 'h2', ${JSON.stringify(older)})`;
    const store = await fixture.open(url);
    expect(await store.tokens.bootstrapIsOpen()).toBe(false);
    expect((await store.tokens.log({ max: 5 })).items).toMatchObject([{ token: 'tok-1' }, { token: 'tok-2', at: 4 }]);
    expect(await store.tokens.byHash('h2')).toMatchObject({ id: 'tok-2', keepsLeases: false });
  });
});
