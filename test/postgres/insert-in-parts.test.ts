/** Many records of one call travel in several statements, and are one write all the same. */
import { expect, it, onTestFinished } from 'vitest';
import { err } from '../../src/foundation/result.ts';
import type { NewHandoff, Store } from '../../src/stores/store.ts';
import { idOf, limitsOf, openingOf, openingsOf } from '../contract/builders.ts';
import { ALL, put, refusalOf, soundRecordOf } from '../contract/store-checks.ts';
import { cuttingProxy } from './cutting-proxy.ts';
import { describeWithServer } from './fixture.ts';

const MANY = 600;

await describeWithServer('an insert of many', 'shared', (fixture) => {
  it('I1: is written in one transaction, each record once and in the order of the call', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    const made = await put(store, ...openingsOf(MANY, 'a'));
    expect(made.map(({ id }) => id)).toEqual(openingsOf(MANY, 'a').map(({ id }) => id));
    const sql = fixture.server.sql(name);
    expect(await sql`select count(*)::int as facts, count(distinct xid)::int as writes from baton.fact`).toEqual([
      { facts: MANY, writes: 1 },
    ]);
    const rows = await sql`select id from baton.handoff order by n`;
    expect(rows.map((row) => row['id'] as string)).toEqual(made.map(({ id }) => id));
    for (const at of [0, 124, 125, MANY - 1]) await soundRecordOf(store, idOf(`a-${at}`));
  });

  it.each([
    ['one of the last is refused', (all: NewHandoff[]) => all.splice(590, 1, refused('x')), { code: 'not-overdue' }],
    [
      'one stands there twice',
      (all: NewHandoff[]) => all.splice(590, 1, openingOf({ id: 'a-3' })),
      { code: 'known-id' },
    ],
    [
      'the id of one is taken',
      (all: NewHandoff[]) => all.splice(590, 1, openingOf({ id: 'old' })),
      { code: 'known-id', id: 'old' },
    ],
    [
      'an id is taken before the one that is refused',
      (all: NewHandoff[]) => all.splice(300, 2, openingOf({ id: 'old' }), refused('x')),
      { code: 'known-id', id: 'old' },
    ],
  ])('I4: %s, and nothing of it is written', async (_what, change, refusal) => {
    const { url } = await fixture.database();
    const store = await fixture.open(url);
    await put(store, openingOf({ id: 'old' }));
    const openings = [...openingsOf(MANY, 'a')];
    change(openings);
    expect(refusalOf(await store.insert(openings))).toMatchObject(refusal);
    expect(await countIn(store)).toBe(1);
    await put(store, ...openingsOf(MANY, 'a'));
    expect(await countIn(store)).toBe(MANY + 1);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])('I1, I4: is made once whatever answer is lost (after %i)', async (letPass) => {
    const { url, name } = await fixture.database();
    const port = Number(new URL(url).port);
    const proxy = await cuttingProxy(port);
    const store = await fixture.open(url.replace(`:${port}/`, `:${proxy.port}/`));
    onTestFinished(async () => proxy.close());
    await put(store, ...openingsOf(MANY, 'warm'));
    proxy.loseNextAnswer(letPass);
    expect(await put(store, ...openingsOf(MANY, 'a'))).toHaveLength(MANY);
    const sql = fixture.server.sql(name);
    expect(await sql`select count(*)::int as many from baton.handoff`).toEqual([{ many: 2 * MANY }]);
    await soundRecordOf(store, idOf('a-0'));
  });

  it('Q9: counts where somebody else has begun to count', async () => {
    const { url, name } = await fixture.database();
    const [free, limited] = [
      await fixture.open(url),
      await fixture.open(url, { limits: limitsOf({ worker: [null, MANY + 2] }) }),
    ];
    await put(free, openingOf({ id: 'before' }));
    await put(limited, openingOf({ id: 'counted' }));
    await put(free, ...openingsOf(MANY, 'a'));
    const sql = fixture.server.sql(name);
    expect(await sql`select all_open from baton.place where agent = 'worker'`).toEqual([{ all_open: MANY + 2 }]);
    expect(refusalOf(await limited.insert([openingOf({ id: 'b' })]))).toMatchObject({ code: 'limit-reached' });
  });
});

function refused(id: string): NewHandoff {
  return { ...openingOf({ id }), decide: () => err({ code: 'not-overdue', id: idOf(id) }) };
}

async function countIn(store: Store): Promise<number> {
  return (await store.find({ by: 'filter', max: ALL })).items.length;
}
