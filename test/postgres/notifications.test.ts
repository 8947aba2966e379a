/** What travels together, and what is told before it is looked up: neither may change what is true. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { NO_LINEAGE } from '../../src/domain/handoff.ts';
import { asText, CHANNEL, isChosen, readNotification } from '../../src/stores/postgres/notify.ts';
import { readNotified } from '../../src/stores/postgres/claim-batch.ts';
import { OFFERED } from '../../src/stores/postgres/sql-numbers.ts';
import { ROW_COLUMNS } from '../../src/stores/postgres/rows.ts';
import type { Store, Topic } from '../../src/stores/store.ts';
import { acceptBy, cancelled, deliverAndVerify, idOf, openingOf, openingsOf, WORKER } from '../contract/builders.ts';
import { put, recordOf, soundRecordOf, valueOf } from '../contract/store-checks.ts';
import { describeWithServer, type Fixture } from './fixture.ts';

const OFFERS: Topic = { kind: 'offers', agent: WORKER };
const never = new AbortController().signal;

const NOTHING_MORE = [null, null, null, null, null, null];
const FORGED = JSON.stringify(
  ['a', 0, 'mallory', 'worker', 1, null, null, null, null, 1, 1, OFFERED, 1, 1, 0, 0, 0, 0].concat(
    NOTHING_MORE,
    'a trail that nobody left',
    1,
    1,
  ),
);

await describeWithServer('what is told', 'shared', (fixture) => {
  it.each([
    ['a forged record', `@worker ${FORGED}`],
    ['a record that says another agent', `@worker ${FORGED.replace('"worker"', '"nobody"')}`],
    ['half a record', '@worker ["a",0,"mallory"]'],
    ['no JSON', '@worker {"a":'],
    ['an empty record', '@worker '],
    ['nothing', ''],
  ])('anybody can notify, and %s changes nothing about what is taken', async (_what, payload) => {
    const { url, name } = await fixture.database();
    const [one, silent] = [await fixture.open(url), await fixture.open(url, { notify: false })];
    const { over } = await wait(fixture, one, name);
    await fixture.server.sql(name)`select pg_notify(${CHANNEL}, ${payload})`;
    await fixture.server.sql(name)`select pg_notify(${CHANNEL}, '@worker')`;
    await over;
    const [made] = await put(silent, openingOf({ id: 'a' }));
    const [claimed] = await one.claim(WORKER, 1, acceptBy());
    expect(claimed?.handoff).toMatchObject({ id: 'a', from: made?.from, createdAt: made?.createdAt, revision: 2 });
    expect(await soundRecordOf(one, idOf('a'))).toEqual(claimed?.handoff);
  });

  it('what is told of a record is the record, to the letter, and is taken as such', async () => {
    const { url, name } = await fixture.database();
    const [one, other] = [await fixture.open(url), await fixture.open(url)];
    const heard = await listen(fixture, name);
    const { over } = await wait(fixture, one, name);
    const lineage = { ...NO_LINEAGE, root: idOf('r'), parent: idOf('p'.repeat(128)), hops: 2 };
    await put(other, openingOf({ id: 'a', task: 'T-1', priority: 'urgent', lineage }));
    await over;
    const told = (await heard.first()).record ?? '';
    const [row] = await fixture.server
      .sql(name)
      .unsafe(
        `select ${asText(`${ROW_COLUMNS}, h.rank, h.n`)} as text from baton.handoff h join baton.body b using (n)`,
      );
    expect(told).toBe(row?.['text']);
    expect(readNotified(told)?.handoff).toEqual(await recordOf(other, idOf('a')));
    const [claimed] = await one.claim(WORKER, 5, acceptBy());
    expect(claimed?.handoff.state).toBe('accepted');
    expect(await soundRecordOf(one, idOf('a'))).toEqual(claimed?.handoff);
  });

  it.each([
    ['a title', [openingOf({ id: 'a', title: 'for your eyes only' })]],
    ['terms', [openingOf({ id: 'a', terms: { criteria: ['for your eyes only'] } })]],
    ['company', openingsOf(2, 'pair')],
  ])('every role can listen: what has %s is only hinted at, and is taken all the same', async (_what, openings) => {
    const { url, name } = await fixture.database();
    const [one, other] = [await fixture.open(url), await fixture.open(url)];
    const heard = await listen(fixture, name);
    const { over } = await wait(fixture, one, name);
    await put(other, ...openings);
    await over;
    expect(await heard.first()).toEqual({ topic: '@worker', record: null });
    const [claimed] = await one.claim(WORKER, 1, acceptBy());
    expect(await soundRecordOf(one, claimed!.handoff.id)).toEqual(claimed?.handoff);
  });

  it.each([
    [1, 1],
    [2, 2],
    [3, 3],
    [20, 3],
  ])('%i offers at once are for %i of three who wait', async (offers, chosen) => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    const sql = fixture.server.sql(name);
    const waiting = ['11111111-one', '22222222-two', '33333333-three'];
    for (const process of waiting) {
      await sql`insert into baton.listener (topic, process, until) values ('@worker', ${process}, now() + interval '1 hour')`;
    }
    const heard: string[] = [];
    await fixture.server.session(name).listen(CHANNEL, (payload) => heard.push(payload));
    await put(store, ...openingsOf(offers, 'a'));
    while (heard.length === 0) await pause(2);
    expect(waiting.filter((process) => isChosen(heard[0] ?? '', process))).toHaveLength(chosen);
  });

  it('a hint that names nobody, or comes from an older program, is for everybody', () => {
    for (const payload of ['@worker', 'settled', `@worker ${FORGED}`]) expect(isChosen(payload, 'abc')).toBe(true);
    expect(isChosen('@worker 11111111,22222222', '22222222-two')).toBe(true);
    expect(isChosen(`@worker 11111111,22222222 ${FORGED}`, '33333333-three')).toBe(false);
    expect(readNotification(`@worker 11111111 ${FORGED}`)).toEqual({ topic: '@worker', record: FORGED });
  });

  it('I18: who was not chosen is woken all the same where the chosen ones take nothing', async () => {
    const { url, name } = await fixture.database();
    const [one, other] = [await fixture.open(url), await fixture.open(url)];
    const { over } = await wait(fixture, one, name);
    const dead = Array.from({ length: 200 }, (_, index) => `${index}-dead`.padEnd(24, '0'));
    for (const process of dead) {
      await fixture.server.sql(name)`
        insert into baton.listener (topic, process, until) values ('@worker', ${process}, now() + interval '1 hour')`;
    }
    await put(other, openingOf({ id: 'a' }));
    await over;
    expect(await one.claim(WORKER, 1, acceptBy())).toMatchObject([{ handoff: { id: 'a' } }]);
  });

  it('who settles and asks for more does both in one transaction', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    await put(store, ...openingsOf(3, 'a'));
    const [first] = await store.claim(WORKER, 1, acceptBy());
    const [settled, [second]] = await Promise.all([
      store.change([first!.handoff], deliverAndVerify(1)),
      store.claim(WORKER, 1, acceptBy()),
    ]);
    expect(valueOf(settled[0]).state).toBe('completed');
    expect(second?.body).toBe((await store.load(second!.handoff.id))?.body);
    const [row] = await fixture.server.sql(name)`select count(distinct xid)::int as many from baton.fact`;
    expect(row?.['many']).toBe(3);
    for (const { handoff } of [first!, second!]) await soundRecordOf(store, handoff.id);
  });

  it('one record wanted by a claim and by a change at the same moment has one story', async () => {
    const { url } = await fixture.database();
    const store = await fixture.open(url);
    await put(store, ...openingsOf(20, 'a'));
    for (let round = 0; round < 4; round += 1) {
      const [first] = await store.claim(WORKER, 1, acceptBy());
      const { items } = await store.find({ by: 'filter', states: ['offered'], max: 20 });
      const next = present(items.at(-1), 'the one that is next in line');
      const [[second], ended] = await Promise.all([
        store.claim(WORKER, 1, acceptBy()),
        store.change([next], cancelled),
        store.change([first!.handoff], deliverAndVerify(1)),
      ]);
      expect(valueOf(ended[0]).state).toBe('cancelled');
      expect((await soundRecordOf(store, next.id)).state).toBe('cancelled');
      if (second !== undefined) await soundRecordOf(store, second.handoff.id);
    }
  });
});

/** Waits in earnest, and only for notifications: there is nothing that a poll could find. */
async function wait(fixture: Fixture, store: Store, name: string): Promise<{ readonly over: Promise<void> }> {
  const sql = fixture.server.sql(name);
  const isKnown = async (): Promise<boolean> =>
    (await sql`select from baton.listener where topic = '@worker' and process <> 'test'`).length > 0;
  const look = async (): Promise<{ readonly over: Promise<void> }> => {
    const over = store.changed(OFFERS, never);
    expect(await store.claim(WORKER, 1, acceptBy())).toEqual([]);
    return { over };
  };
  // Who has just been made known is told to look once more, and who does not look in time is forgotten again.
  await (
    await look()
  ).over;
  for (;;) {
    const waiting = await look();
    if (await isKnown()) return waiting;
    await waiting.over;
  }
}

type Rung = ReturnType<typeof readNotification>;

async function listen(fixture: Fixture, name: string): Promise<{ first(): Promise<Rung> }> {
  const heard: string[] = [];
  await fixture.server.session(name).listen(CHANNEL, (payload) => heard.push(payload));
  // Only those who wait are told, and whoever waits says so again and again. This one waits for as long as the test.
  const sql = fixture.server.sql(name);
  await sql`insert into baton.listener (topic, process, until) values ('@worker', 'test', now() + interval '1 hour')`;
  const first = async (): Promise<Rung> => {
    while (heard.length === 0) await pause(2);
    return readNotification(heard[0] ?? '');
  };
  return { first };
}
