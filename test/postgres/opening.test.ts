/** What a store insists on before it works on a database, and on every new connection. */
import { inspect } from 'node:util';
import { expect, it, vi } from 'vitest';
import { systemRandom } from '../../src/foundation/random.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { openPostgresStore } from '../../src/stores/postgres/open-postgres-store.ts';
import { SCHEMA_VERSION } from '../../src/stores/postgres/schema.ts';
import { StoreFault } from '../../src/stores/store.ts';
import { acceptBy, idOf, jsonOf, openingOf, WORKER } from '../contract/builders.ts';
import { put, recordOf } from '../contract/store-checks.ts';
import { describeWithServer, endBackends, faultOf } from './fixture.ts';

/** Longer than a test may take. */
const FOR_EVER_MS = 60 * 60_000;

const ctx = { limits: NO_LIMITS, random: systemRandom };

await describeWithServer('opening a database', { fsync: false }, (fixture) => {
  it('I3: a database that does not wait for the disk is made to, or refused where that cannot be', async () => {
    const { url, name } = await fixture.database();
    await fixture.server.sql()`alter database ${fixture.server.sql()(name)} set synchronous_commit = off`;
    const fault = await faultOf(openPostgresStore({ ...ctx, url, notify: false }));
    expect(fault).toBeInstanceOf(StoreFault);
    expect(fault.message).toMatch(/synchronous_commit is off.*ALTER ROLE/s);

    const store = await fixture.open(url);
    await put(store, openingOf({ id: 'a' }));
    const durable = fixture.server.sql(name);
    await durable.unsafe(`create table seen (setting text);
      create function see() returns trigger language plpgsql as $$ begin
        insert into seen values (current_setting('synchronous_commit')); return null; end $$;
      create trigger see after insert on baton.fact for each row execute function see()`);
    await put(store, openingOf({ id: 'b' }));
    await store.claim(WORKER, 2, acceptBy());
    expect(await durable`select distinct setting from seen`).toEqual([{ setting: 'on' }]);
  });

  it('a newer schema is refused and left as it is', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    await put(store, openingOf({ id: 'a' }));
    const sql = fixture.server.sql(name);
    await sql`update baton.schema_version set version = 99`;
    const fault = await faultOf(openPostgresStore({ ...ctx, url }));
    expect(fault).toBeInstanceOf(StoreFault);
    expect(fault.message).toMatch(/schema version 99.*install a newer Baton/s);

    // Whoever is connected already finds out with the next connection, before it writes anything.
    await endBackends(fixture.server, name);
    const late = await faultOf(store.insert([openingOf({ id: 'b' })]));
    expect(late).toMatchObject({ name: 'StoreFault', outcome: 'unchanged' });
    expect(await sql`select id from baton.handoff`).toEqual([{ id: 'a' }]);
    expect(await sql`select version from baton.schema_version`).toEqual([{ version: 99 }]);
  });

  it('many processes that open an empty database at once make it once', async () => {
    const { url, name } = await fixture.database();
    const stores = await Promise.all(Array.from({ length: 8 }, () => fixture.open(url)));
    await Promise.all(stores.map(async (store, index) => put(store, openingOf({ id: `a-${index}` }))));
    expect(await fixture.server.sql(name)`select version from baton.schema_version`).toEqual([
      { version: SCHEMA_VERSION },
    ]);
  });

  it('tables that have gone are named, and what to do', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    await fixture.server.sql(name)`drop schema baton cascade`;
    const fault = await faultOf(store.insert([openingOf({ id: 'a' })]));
    expect(fault).toMatchObject({ name: 'StoreFault', outcome: 'unchanged' });
    expect(fault.message).toMatch(/tables of Baton are missing or wrong/);
  });

  it('a user without the right to make tables is told who can, and works where they exist', async () => {
    const { url, name } = await fixture.database();
    const sql = fixture.server.sql(name);
    await sql.unsafe('create role plain login; revoke create on schema public from public');
    const theirs = url.replace('postgres@', 'plain@');
    const fault = await faultOf(openPostgresStore({ ...ctx, url: theirs }));
    expect(fault.message).toMatch(/may not create the tables/);
    await (await openPostgresStore({ ...ctx, url })).close();
    await sql.unsafe(`grant usage on schema baton to plain; grant select on all tables in schema baton to plain;
      grant insert, update, delete on all tables in schema baton to plain; grant usage on all sequences in schema baton to plain`);
    const store = await fixture.open(theirs);
    await put(store, openingOf({ id: 'a' }));
    expect(await store.claim(WORKER, 1, acceptBy())).toHaveLength(1);
  });

  it('two stores live side by side in one database', async () => {
    const { url } = await fixture.database();
    const [one, other] = [await fixture.open(url), await fixture.open(url, { namespace: 'second_house' })];
    await put(one, openingOf({ id: 'a', body: jsonOf(1) }));
    await put(other, openingOf({ id: 'a', body: jsonOf(2) }));
    expect((await one.load(idOf('a')))?.body).toBe('1');
    expect((await other.claim(WORKER, 9, acceptBy())).map((each) => each.body)).toEqual(['2']);
    expect(await recordOf(one, idOf('a'))).toMatchObject({ state: 'offered' });
    expect(await faultOf(openPostgresStore({ ...ctx, url, namespace: 'x; drop' }))).toBeInstanceOf(StoreFault);
  });

  it('a text that the database cannot hold is a clean fault', async () => {
    const { url } = await fixture.database();
    const store = await fixture.open(url);
    const fault = await faultOf(store.insert([openingOf({ id: 'a', body: '"\u0000"' as never })]));
    expect(fault).toMatchObject({ name: 'StoreFault', outcome: 'unchanged' });
    expect(fault.message).toMatch(/cannot store/);
    await put(store, openingOf({ id: 'a' }));
  });

  it('a password is never shown', async () => {
    const secret = 'tr0ub4dor&3';
    const { name } = await fixture.database();
    const port = new URL(fixture.server.url()).port;
    const written = encodeURIComponent(secret);
    const addresses = [
      `postgres://postgres:${written}@127.0.0.1:${port}/missing`,
      `postgres://postgres:${written}@127.0.0.1:${port}/${name}?sslmode=verify-full`,
      `postgres://postgres:${written}@127.0.0.1:${port}/${name}?nonsense=1`,
      `postgres://postgres:${written}@127.0.0.1:1/${name}`,
      `postgres://postgres@127.0.0.1:1/${name}?password=${written}`,
      `postgres://postgres:${secret}@127.0.0.1:notaport/${name}`,
      `postgres:/postgres:${written}@127.0.0.1/${name}`,
    ];
    for (const url of addresses) {
      const fault = await faultOf(openPostgresStore({ ...ctx, url, patienceMs: 50 }));
      const shown = `${fault.message} ${fault.stack ?? ''} ${inspect(fault, { depth: 9, showHidden: true })}`;
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain(written);
    }
  });

  it('a password is taken from the address or the environment, and a wrong one is told at once', async () => {
    const { url, name } = await fixture.database();
    const sql = fixture.server.sql(name);
    await sql.unsafe(`create role guarded login superuser password 'open sesame'`);
    await fixture.server.requirePasswordOf('guarded');
    const theirs = url.replace('postgres@', 'guarded@');
    await fixture.open(url.replace('postgres@', 'guarded:open%20sesame@'));
    vi.stubEnv('PGPASSWORD', 'open sesame');
    await fixture.open(theirs);
    vi.stubEnv('PGPASSWORD', 'wrong');
    const fault = await faultOf(openPostgresStore({ ...ctx, url: theirs, patienceMs: FOR_EVER_MS }));
    vi.unstubAllEnvs();
    expect(fault).toMatchObject({ name: 'StoreFault', outcome: 'unchanged' });
    expect(fault.message).toMatch(/password authentication failed/);
  });
});
