/** Hints: with notifications, without them, and when the connection they come on is lost. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { POLL_MS, type Store, type Topic } from '../../src/stores/store.ts';
import { acceptBy, cancelled, deliverAndVerify, idOf, openingOf, openingsOf, WORKER } from '../contract/builders.ts';
import { put, valueOf } from '../contract/store-checks.ts';
import { describeWithServer, endBackends } from './fixture.ts';

const OFFERS: Topic = { kind: 'offers', agent: WORKER };
const SETTLED: Topic = { kind: 'settled' };
const never = new AbortController().signal;

await describeWithServer('waiting', 'shared', (fixture) => {
  it('I18: without notifications polling alone wakes a waiter', async () => {
    const { url } = await fixture.database();
    const [one, other] = [await fixture.open(url, { notify: false }), await fixture.open(url, { notify: false })];
    const offered = one.changed(OFFERS, never);
    expect(await one.claim(WORKER, 1, acceptBy())).toEqual([]);
    await put(other, openingOf({ id: 'a' }));
    await offered;
    const [taken] = await one.claim(WORKER, 1, acceptBy());
    const settled = other.changed(SETTLED, never);
    valueOf((await one.change([taken!.handoff], deliverAndVerify(1)))[0]);
    await settled;
  });

  it('without notifications nothing is prepared and nobody listens', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url, { notify: false });
    const waiting = store.changed(SETTLED, AbortSignal.timeout(2 * POLL_MS));
    await put(store, ...openingsOf(3, 'a'));
    await store.claim(WORKER, 3, acceptBy());
    await waiting;
    const sql = fixture.server.sql(name);
    expect(await sql`select * from baton.listener`).toEqual([]);
    expect(await sql`select query from pg_stat_activity where datname = ${name} and query ilike 'listen%'`).toEqual([]);
  });

  it('I18, Q13: a delayed handoff wakes its waiter when its time has come', async () => {
    const { url } = await fixture.database();
    const store = await fixture.open(url);
    const dueAt = store.nowMs() + 400;
    await put(store, openingOf({ id: 'a', notBefore: dueAt }));
    const claimed = await claimWhenReady(store);
    expect(claimed.map(({ handoff }) => handoff.id)).toEqual(['a']);
    expect(store.nowMs()).toBeGreaterThanOrEqual(dueAt);
  });

  it('I18: a waiter whose connection was ended hears again, and missed nothing meanwhile', async () => {
    const { url, name } = await fixture.database();
    const [one, other] = [await fixture.open(url), await fixture.open(url)];
    const sql = fixture.server.sql(name);
    const attended = async (): Promise<boolean> =>
      (await sql`select 1 from baton.listener where topic = '@worker'`).length > 0;
    const waitingFor = claimWhenReady(one);
    while (!(await attended())) await pause(5);
    await endBackends(fixture.server, name);
    await put(other, openingOf({ id: 'a' }));
    expect(await waitingFor).toHaveLength(1);
  });

  it('only those who wait are notified, and nobody is once they have stopped', async () => {
    const { url, name } = await fixture.database();
    const [one, other] = [await fixture.open(url), await fixture.open(url)];
    const sql = fixture.server.sql(name);
    const topics = async (): Promise<readonly string[]> =>
      (await sql`select topic from baton.listener order by topic`).map((row) => row['topic'] as string);
    const end = new AbortController();
    let hints = 0;
    // Who is made known gets a hint at once, and is forgotten unless it waits again.
    const waiting = (async () => {
      for (; !end.signal.aborted; hints += 1) await one.changed(SETTLED, end.signal);
    })();
    let seen = await topics();
    for (; seen.length === 0; seen = await topics()) await pause(5);
    expect(seen).toEqual(['settled']);
    await put(other, openingOf({ id: 'a' }));
    const before = hints;
    await other.change([idOf('a')], cancelled);
    while (hints === before) await pause(5);
    end.abort();
    await waiting;
    while ((await topics()).length > 0) await pause(5);
  });
});

/** As a worker does it: asks for the hint first, then looks, then waits. */
async function claimWhenReady(store: Store) {
  for (;;) {
    const hint = store.changed(OFFERS, never);
    const claimed = await store.claim(WORKER, 1, acceptBy());
    if (claimed.length > 0) return claimed;
    await hint;
  }
}
