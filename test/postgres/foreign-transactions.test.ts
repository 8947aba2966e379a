/** Transactions of other programs on the same server must not stop the feed, and ours must never be overtaken by it. */
import { expect, it, onTestFinished } from 'vitest';
import { systemClock, systemTimers } from '../../src/foundation/clock.ts';
import type { HealthCheck } from '../../src/engine/health-checks.ts';
import { watchFeed } from '../../src/engine/feed-blockers.ts';
import type { EngineEvent } from '../../src/engine/context.ts';
import type { FactRead, Store } from '../../src/stores/store.ts';
import { openingOf, openingsOf } from '../contract/builders.ts';
import { put } from '../contract/store-checks.ts';
import { quickBaton } from '../support/processes.ts';
import { describeWithServer } from './fixture.ts';

const PREPARED = 'orphan-1';
const WRITERS = 4;
const ROUNDS = 25;

await describeWithServer(
  'transactions of other programs',
  { fsync: false, settings: ['max_prepared_transactions=5'] },
  (fixture) => {
    /** All that the feed shows: a page may end where a transaction was open. */
    const read = async (store: Store): Promise<readonly string[]> => {
      const seen: FactRead[] = [];
      for (;;) {
        const after = seen.at(-1)?.cursor;
        const page = await store.facts({ max: 1_000, ...(after === undefined ? {} : { after }) });
        if (page.length === 0) return seen.map(nameOf).toSorted();
        seen.push(...page);
      }
    };
    /** Opens a transaction that has written to a table of another program, and leaves it open. */
    const openForeign = async (database: string, then: string): Promise<(sql: string) => Promise<unknown>> => {
      const session = fixture.server.session(database);
      await session.unsafe('create table if not exists foreign_program (x integer)');
      await session.unsafe(`begin; insert into foreign_program values (1); ${then}`);
      return (sql) => session.unsafe(sql);
    };

    it('I17: an open transaction in another database, or on other tables of ours, stops nothing', async () => {
      const { url, name } = await fixture.database();
      const { name: elsewhere } = await fixture.database();
      const store = await fixture.open(url);
      await put(store, openingOf({ id: 'before' }));
      await openForeign(elsewhere, '');
      await openForeign(name, 'select count(*) from baton.fact');
      await put(store, ...openingsOf(3, 'a'));
      expect(await read(store)).toEqual(['a-0/1', 'a-1/1', 'a-2/1', 'before/1']);
      // Whoever begins with the newest fact begins with the really newest one.
      const [newest] = await store.facts({ newest: true, max: 1 });
      expect(await store.facts({ max: 10, after: newest!.cursor })).toEqual([]);
      await put(store, openingOf({ id: 'after' }));
      expect((await store.facts({ max: 10, after: newest!.cursor })).map(nameOf)).toEqual(['after/1']);
    });

    it('I17: a prepared transaction that nobody ends, in whichever database, stops nothing', async () => {
      const { url } = await fixture.database();
      const { name: elsewhere } = await fixture.database();
      const store = await fixture.open(url);
      const run = await openForeign(elsewhere, `prepare transaction '${PREPARED}'`);
      onTestFinished(async () => void (await run(`rollback prepared '${PREPARED}'`)));
      await put(store, ...openingsOf(3, 'a'));
      expect(await read(store)).toEqual(['a-0/1', 'a-1/1', 'a-2/1']);
      // Searching moves on as well: the index passes what can no longer get a neighbor.
      expect((await store.find({ by: 'filter', text: 'a', max: 10 })).items).toBeDefined();
      await store.upkeep.maintain();
      const [row] = await fixture.server.sql(new URL(url).pathname.slice(1))`select cursor from baton.indexed`;
      expect(row?.['cursor']).toBe((await store.facts({ newest: true, max: 1 }))[0]?.cursor);
    });

    it('I17: a writer of ours that commits late is waited for, while foreign transactions are open', async () => {
      const { url, name } = await fixture.database();
      const store = await fixture.open(url);
      await put(store, openingOf({ id: 'late' }));
      await openForeign(name, '');
      const slow = fixture.server.session(name);
      // As a claim does it: the row is locked first, which gives the transaction its number, and the fact comes later.
      await slow.unsafe(`begin; select id from baton.handoff where id = 'late' for update`);
      await put(store, ...openingsOf(2, 'a'));
      const before = await store.facts({ max: 100 });
      expect(before.map(nameOf)).toEqual(['late/1']);
      await slow.unsafe(`insert into baton.fact (n, revision, at, by, step, attempt, fence, hash)
        select n, 2, 1, 'system', (select max(step) from baton.fact), 0, 0, 'late' from baton.handoff where id = 'late'`);
      expect(await store.facts({ max: 100, after: before[0]!.cursor })).toEqual([]);
      await slow.unsafe('commit');
      const after = await store.facts({ max: 100, after: before[0]!.cursor });
      expect(after.map(nameOf)[0]).toBe('late/2');
      expect(after.map(nameOf).toSorted()).toEqual(['a-0/1', 'a-1/1', 'late/2']);
    });

    it('I17: a reader beside many writers misses nothing and sees one order, while foreign ones are open', async () => {
      const { url, name } = await fixture.database();
      const { name: elsewhere } = await fixture.database();
      const stores = await Promise.all(Array.from({ length: WRITERS }, () => fixture.open(url)));
      const [reader] = stores as [Store];
      await openForeign(elsewhere, '');
      const foreign = await openForeign(name, '');
      let writing = true;
      const seen: FactRead[] = [];
      const look = async (): Promise<number> => {
        const after = seen.at(-1)?.cursor;
        const page = await reader.facts({ max: 100, ...(after === undefined ? {} : { after }) });
        seen.push(...page);
        return page.length;
      };
      const reading = (async () => {
        while (writing) await look();
      })();
      await Promise.all(
        stores.map(async (store, writer) => {
          for (let round = 0; round < ROUNDS; round += 1) {
            await put(store, ...openingsOf(3, `w${writer}-${round}`));
            if (writer === 0) await foreign('commit; begin; insert into foreign_program values (1)');
          }
        }),
      );
      writing = false;
      await reading;
      await expect.poll(look).toBe(0);
      expect(seen).toHaveLength(WRITERS * ROUNDS * 3);
      await foreign('commit');
      expect(seen.map(nameOf)).toEqual((await reader.facts({ max: 1_000 })).map(nameOf));
    });

    it('I17: who keeps facts back is named: a session by its process, a prepared transaction by its name', async () => {
      const { url, name } = await fixture.database();
      const store = await fixture.open(url);
      const byHand = fixture.server.session(name);
      await byHand.unsafe(`set application_name = 'by-hand'; begin; update baton.graph set revision = revision`);
      const [row] = await byHand.unsafe('select pg_backend_pid() as pid');
      const pid = Number(row?.['pid']);
      // Nothing is kept back as long as nothing came after it.
      expect(await store.upkeep.feedHolders()).toEqual([]);
      await put(store, openingOf({ id: 'a' }));
      expect(await store.facts({ max: 10 })).toEqual([]);
      expect(await store.upkeep.feedHolders()).toMatchObject([
        { pid, application: 'by-hand', preparedAs: null, database: name },
      ]);
      const seen = await feedCheck(url);
      expect(seen).toMatchObject({ verdict: 'problem' });
      expect(seen?.says).toContain(`process ${pid} (by-hand) in database ${name}, open for `);
      expect(seen?.todo).toContain(`select pg_terminate_backend(${pid})`);

      await byHand.unsafe(`prepare transaction 'it''s'`);
      onTestFinished(async () => void (await byHand.unsafe(`rollback prepared 'it''s'`).catch(() => undefined)));
      expect(await store.upkeep.feedHolders()).toMatchObject([{ pid: null, preparedAs: "it's", database: name }]);
      const then = await feedCheck(url);
      expect(then?.says).toContain(`prepared 'it's' in database ${name}`);
      expect(then?.todo).toContain(`rollback prepared 'it''s'`);

      await byHand.unsafe(`commit prepared 'it''s'`);
      expect(await store.upkeep.feedHolders()).toEqual([]);
      expect(await feedCheck(url)).toMatchObject({ verdict: 'ok' });
      expect(await store.facts({ max: 10 })).toHaveLength(1);
    });

    it('I17: a server reports that the feed is held up, for how long, and that it is free again', async () => {
      const { url, name } = await fixture.database();
      const store = await fixture.open(url);
      const events: EngineEvent[] = [];
      const over = new AbortController();
      onTestFinished(() => over.abort());
      const timers = { ...systemTimers, sleep: () => systemTimers.sleep(5) };
      const watch = watchFeed(
        { store, clock: systemClock, timers, report: (event) => events.push(event) },
        over.signal,
      );
      expect(watch.heldForMs()).toBe(0);
      const byHand = fixture.server.session(name);
      await byHand.unsafe('begin; update baton.graph set revision = revision');
      await put(store, openingOf({ id: 'a' }));
      await expect.poll(() => events).toMatchObject([{ kind: 'feed-held' }]);
      await expect.poll(() => watch.heldForMs()).toBeGreaterThan(0);
      await byHand.unsafe('commit');
      await expect.poll(() => events).toMatchObject([{ kind: 'feed-held' }, { kind: 'feed-free' }]);
      expect(watch.heldForMs()).toBe(0);
    });
  },
);

async function feedCheck(url: string): Promise<HealthCheck | undefined> {
  const { stdout } = await quickBaton(['doctor', '--json', '--database', url]);
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly HealthCheck[] };
  return checks.find(({ name }) => name === 'feed');
}

function nameOf({ fact }: FactRead): string {
  return `${fact.handoff}/${fact.revision}`;
}
