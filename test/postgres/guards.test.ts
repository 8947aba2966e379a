/** What the database itself refuses, whoever asks; and counters that begin in the middle of things. */
import { expect, it, vi } from 'vitest';
import { FACT_TYPE_NAMES } from '../../src/domain/fact-types.ts';
import { STATES } from '../../src/domain/lifecycle.ts';
import { openPostgresBeat } from '../../src/stores/postgres/heartbeat.ts';
import { readStep, stepNumber } from '../../src/stores/stored-numbers.ts';
import { isLegalStep } from '../../src/domain/trail.ts';
import type { Store } from '../../src/stores/store.ts';
import {
  acceptBy,
  cancelled,
  idOf,
  limitsOf,
  openingOf,
  openingsOf,
  SESSION,
  unblocked,
  WORKER,
} from '../contract/builders.ts';
import { put, putHeld, recordOf, valueOf } from '../contract/store-checks.ts';
import { describeWithServer, endBackends, faultOf } from './fixture.ts';

await describeWithServer('guards', 'shared', (fixture) => {
  it('I2, I12: a final record, an illegal step and custody without acceptance cannot be written by anybody', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    await put(store, openingOf({ id: 'done' }), openingOf({ id: 'open' }));
    await store.change([idOf('done')], cancelled);
    const sql = fixture.server.sql(name);
    const refused = async (statement: string): Promise<string> => (await faultOf(sql.unsafe(statement))).message;
    expect(await refused(`update baton.handoff set state = 1, since = 0 where id = 'done'`)).toMatch(/final/);
    expect(await refused(`update baton.handoff set state = ${STATES.length} where id = 'open'`)).toMatch(/check/);
    expect(await refused(`update baton.handoff set state = 3 where id = 'open'`)).toMatch(/held_while_accepted/);
    expect(await refused(`update baton.handoff set holder = 'worker' where id = 'open'`)).toMatch(
      /held_while_accepted/,
    );
    expect(await refused(`update baton.handoff set state = 2 where id = 'open'`)).toMatch(/held_while_accepted/);
    expect(
      await refused(
        `insert into baton.fact select n, revision + 1, xid, 4096, at, by, 1, 0, 0, null, '' from baton.fact`,
      ),
    ).toMatch(/./);
    expect(await refused(`update baton.fact set step = 1`)).toMatch(/violates check/);
    expect(await recordOf(store, idOf('open'))).toMatchObject({ state: 'offered', revision: 1 });
  });

  it('I12: the steps that the database allows are those of the lifecycle', async () => {
    const { url, name } = await fixture.database();
    await fixture.open(url);
    const [row] = await fixture.server.sql(name)`
      select pg_get_constraintdef(c.oid) as rule from pg_constraint c join pg_type t on t.oid = c.contypid where t.typname = 'step'`;
    const allowed = [...String(row?.['rule']).matchAll(/\d+/g)].map(Number);
    const ascending = (a: number, b: number): number => a - b;
    expect(allowed.toSorted(ascending)).toEqual(legalSteps().toSorted(ascending));
    for (const step of legalSteps()) {
      const { deed, from, to } = readStep(step);
      expect(isLegalStep(deed, from, to)).toBe(true);
    }
    expect(legalSteps().length).toBeGreaterThan(25);
  });

  it('I15, D5: a counter that begins while others insert and settle counts right', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { url, name } = await fixture.database();
      const limits = limitsOf({ worker: [null, 1000], sender: [1000, null] });
      const [free, limited] = [await fixture.open(url), await fixture.open(url, { limits })];
      await put(free, ...openingsOf(20, 'there'));
      const open = await Promise.all([
        ...Array.from({ length: 6 }, async (_, index) => churn(free, `free-${index}`)),
        ...Array.from({ length: 2 }, async (_, index) => churn(limited, `limited-${index}`)),
      ]);
      const expected = 20 + open.reduce((sum, count) => sum + count, 0);
      const counters = await fixture.server.sql(name)`
        select agent, all_open, documents_open from baton.place order by agent`;
      expect(counters).toEqual([
        { agent: 'sender', all_open: expected, documents_open: 0 },
        { agent: 'worker', all_open: expected, documents_open: 0 },
      ]);
    }
  });

  it('I15: a writer that was waiting while a counter began adds to it', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    await put(store, openingOf({ id: 'a' }));
    const counting = fixture.server.session(name);
    await counting.unsafe(`begin; select baton.begin_counting('worker', 1::smallint)`);
    const writing = Promise.all([put(store, openingOf({ id: 'b' })), store.change([idOf('a')], cancelled)]);
    const waiting = fixture.server.sql(name);
    const isBlocked = async (): Promise<boolean> =>
      (await waiting`select 1 from pg_stat_activity where datname = ${name} and wait_event_type = 'Lock'`).length === 2;
    await vi.waitUntil(isBlocked, { timeout: 60_000, interval: 5 });
    await counting.unsafe('commit');
    await writing;
    expect(await waiting`select all_open from baton.place`).toEqual([{ all_open: 1 }]);
  });

  it('I15: what waits for a place is not counted until it has one', async () => {
    const { url, name } = await fixture.database();
    const limits = limitsOf({ worker: [null, 2] });
    const [free, limited] = [await fixture.open(url), await fixture.open(url, { limits })];
    await put(free, ...openingsOf(2, 'queued', { queued: true }), openingOf({ id: 'a' }));
    await put(limited, openingOf({ id: 'b' }));
    expect((await limited.change([idOf('queued-0')], unblocked))[0]).toMatchObject({
      ok: false,
      refusal: { code: 'limit-reached', count: 2 },
    });
    valueOf((await free.change([idOf('a')], cancelled))[0]);
    valueOf((await limited.change([idOf('queued-0')], unblocked))[0]);
    expect(await fixture.server.sql(name)`select all_open from baton.place`).toEqual([{ all_open: 2 }]);
  });

  it('I14: a beat of its own connection keeps a session, until it is ended, and outlives that connection', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    const beating = await openPostgresBeat(url, SESSION);
    const sql = fixture.server.sql(name);
    await sql`update baton.session set beat_at = beat_at - interval '1 hour'`;
    expect((await store.sessions.list())[0]?.silentForMs).toBeGreaterThan(3_500_000);
    expect(await beating.beat()).toBe(true);
    expect((await store.sessions.list())[0]?.silentForMs).toBeLessThan(60_000);
    await endBackends(fixture.server, name);
    expect(await beating.beat()).toBe(true);
    expect(await store.sessions.end(SESSION, 0)).toBe(true);
    expect(await beating.beat()).toBe(false);
    await beating.close();
  });

  it('I14: nothing passes to a session while it is being ended', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    await put(store, openingOf({ id: 'a' }));
    const ending = fixture.server.session(name);
    await ending.unsafe(`begin; select * from baton.session for update; update baton.session set ended = true`);
    const claiming = store.claim(WORKER, 1, acceptBy());
    const isBlocked = async (): Promise<boolean> =>
      (
        await fixture.server.sql(
          name,
        )`select 1 from pg_stat_activity where datname = ${name} and wait_event_type = 'Lock'`
      ).length === 1;
    await vi.waitUntil(isBlocked, { timeout: 60_000, interval: 5 });
    await ending.unsafe('commit');
    expect(await claiming).toEqual([]);
    expect(await recordOf(store, idOf('a'))).toMatchObject({ state: 'offered' });
  });

  it('I5: requests are forgotten after their time, and nothing else', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    const request = { by: '@sender', key: 'k', hash: 'h' };
    await store.insert([openingOf({ id: 'a' })], { request });
    await store.insert([openingOf({ id: 'b' })], { request: { ...request, key: 'young' } });
    const sql = fixture.server.sql(name);
    await sql`update baton.request set at = at - interval '8 days' where key = 'k'`;
    // Not tidied up yet, and no longer in the way.
    expect(valueOf(await store.insert([openingOf({ id: 'c' })], { request }))).toMatchObject([{ id: 'c' }]);
    await sql`update baton.request set at = at - interval '8 days' where key = 'k'`;
    await store.upkeep.maintain();
    expect(await sql`select key from baton.request`).toEqual([{ key: 'young' }]);
    expect(await sql`select count(*)::int as count from baton.handoff`).toEqual([{ count: 3 }]);
  });

  it('I19: the clock is the server, whatever the clock of this machine says', async () => {
    const { url, name } = await fixture.database();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 60 * 60_000 });
    try {
      const store = await fixture.open(url);
      const [row] = await fixture.server.sql(name)`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
      expect(Math.abs(store.nowMs() - Number(row?.['ms']))).toBeLessThan(1000);
      await putHeld(store, openingOf({ id: 'a' }));
      expect((await store.find({ by: 'overdue', max: 10 })).items).toEqual([]);
      expect((await recordOf(store, idOf('a'))).createdAt).toBeLessThan(Date.now() - 23 * 60 * 60_000);
    } finally {
      vi.useRealTimers();
    }
  });
});

/** Inserts, settles some, and says how many it left open. */
async function churn(store: Store, name: string): Promise<number> {
  let open = 0;
  for (let count = 0; count < 20; count += 1) {
    const [made] = await put(store, openingOf({ id: `${name}-${count}` }));
    open += 1;
    if (count % 3 === 0) continue;
    valueOf((await store.change([made!], cancelled))[0]);
    open -= 1;
  }
  return open;
}

/** Every step that the lifecycle knows. */
function legalSteps(): readonly number[] {
  return FACT_TYPE_NAMES.flatMap((deed) =>
    [null, ...STATES].flatMap((from) =>
      STATES.filter((to) => isLegalStep(deed, from, to)).map((to) => stepNumber(deed, from, to)),
    ),
  );
}
