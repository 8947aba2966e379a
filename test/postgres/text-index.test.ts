/** Words follow the facts, and facts become visible in another order than they were numbered. */
import { expect, it } from 'vitest';
import type { Store } from '../../src/stores/store.ts';
import { openingOf, openingsOf } from '../contract/builders.ts';
import { ALL, put } from '../contract/store-checks.ts';
import { describeWithServer, endBackends } from './fixture.ts';

async function hits(store: Store, text: string): Promise<number> {
  return (await store.find({ by: 'filter', text, max: ALL })).items.length;
}

await describeWithServer('words', 'shared', (fixture) => {
  it('what is acknowledged is found, and what comes late is not passed over', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    const sql = fixture.server.sql(name);
    await put(store, openingOf({ id: 'model', title: 'red' }));
    const copy = (columns: string, table: string, more: string): string =>
      `insert into baton.${table} (${columns}, ${more}) select ${columns}`;
    await sql.begin(async (late) => {
      // Its facts are numbered now and seen by others when everything below has been searched.
      await late.unsafe(`
        ${copy('kind, sender, recipient, priority, title, created_at, text', 'body', 'n, id')}, 900000, 'late' from baton.body where id = 'model';
        ${copy('recipient, revision, state, since, offered_at, not_before, rank, attempt, excused, fence, trail', 'handoff', 'n, id')}, 900000, 'late' from baton.handoff where id = 'model';
        ${copy('revision, at, by, step, attempt, fence, hash', 'fact', 'n')}, 900000 from baton.fact limit 1`);
      await put(store, ...openingsOf(1500, 'a', { title: 'red' }));
      await store.upkeep.maintain();
      expect(await hits(store, 'red')).toBe(1501);
      await put(store, openingOf({ id: 'b', title: 'red' }));
      expect(await hits(store, 'red')).toBe(1502);
      await store.upkeep.maintain();
    });
    expect(await hits(store, 'red')).toBe(1503);
    for (let tended = 0; tended < 5; tended += 1) await store.upkeep.maintain();
    expect(await sql`select count(*)::integer as many from baton.words`).toEqual([{ many: 1503 }]);
    const [cursor] =
      await sql`select cursor = (select xid || ':' || seq from baton.fact order by xid desc, seq desc limit 1)
      as newest from baton.indexed`;
    expect(cursor).toEqual({ newest: true });
  });

  it('the index waits while much is written, and goes on when it is quiet', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    const sql = fixture.server.sql(name);
    const indexed = async (): Promise<unknown> => (await sql`select count(*)::integer as many from baton.words`)[0];
    await store.upkeep.maintain();
    await put(store, ...openingsOf(900, 'a', { title: 'red' }));
    await store.upkeep.maintain();
    expect(await indexed()).toEqual({ many: 0 });
    await store.upkeep.maintain();
    expect(await indexed()).toEqual({ many: 900 });
    await put(store, ...openingsOf(900, 'b', { title: 'red' }));
    expect(await hits(store, 'red')).toBe(1800);
  });

  it('a search whose connections are cut goes on where it was', async () => {
    const { url, name } = await fixture.database();
    const [store, other] = [await fixture.open(url), await fixture.open(url)];
    const body = JSON.stringify(Array.from({ length: 400 }, (_, index) => `w${index}`)) as never;
    for (let round = 0; round < 6; round += 1)
      await put(store, ...openingsOf(150, `a${round}`, { title: 'red', body }));
    const searching = [hits(store, 'red w399'), hits(other, 'red'), hits(store, 'w0')];
    for (let cut = 0; cut < 5; cut += 1) {
      await endBackends(fixture.server, name);
      await put(other, openingOf({ id: `more-${cut}` }));
    }
    expect(await Promise.all(searching)).toEqual([900, 900, 900]);
    expect(await hits(other, 'red w7')).toBe(900);
  });
});
