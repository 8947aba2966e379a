/** Numbers are given out before they become visible; a reader with a cursor must not fall into the gap. */
import { expect, it } from 'vitest';
import { systemTimers, type Timers } from '../../src/foundation/clock.ts';
import { idOf, openingOf, openingsOf } from '../contract/builders.ts';
import { put } from '../contract/store-checks.ts';
import { describeWithServer } from './fixture.ts';

await describeWithServer('the order of facts', 'shared', (fixture) => {
  it('I17: a transaction that commits late is not skipped by whoever read meanwhile', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    const [first] = await put(store, openingOf({ id: 'late' }));
    const slow = fixture.server.session(name);
    // A fact written by a transaction that stays open: it has an early number and appears last.
    await slow.unsafe(`begin;
      insert into baton.fact (n, revision, at, by, step, attempt, fence, hash)
        select n, 2, ${first!.since}, 'system', (select max(step) from baton.fact), 0, 0, 'late' from baton.handoff where id = 'late'`);
    await put(store, ...openingsOf(5, 'a'));

    const before = await store.facts({ max: 100 });
    expect(before.map(({ fact }) => fact.handoff)).toEqual(['late']);
    expect(await store.facts({ after: before[0]!.cursor, max: 100 })).toEqual([]);
    await slow.unsafe('commit');

    const after = await store.facts({ after: before[0]!.cursor, max: 100 });
    expect(after.map(({ fact }) => `${fact.handoff}/${fact.revision}`)).toEqual([
      'late/2',
      ...openingsOf(5, 'a').map(({ id }) => `${id}/1`),
    ]);
  });

  it('I17: a transaction that only reads holds nothing back, and the trail of one record is never held back', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    const reading = fixture.server.session(name);
    await reading.unsafe('begin isolation level repeatable read; select * from baton.fact');
    await put(store, openingOf({ id: 'a' }));
    expect(await store.facts({ max: 10 })).toHaveLength(1);

    const writing = fixture.server.session(name);
    await writing.unsafe('begin; update baton.graph set revision = revision');
    await put(store, openingOf({ id: 'b' }));
    expect(await store.facts({ handoff: idOf('b'), max: 10 })).toHaveLength(1);
    expect(await store.facts({ max: 10 })).toHaveLength(1);
    await writing.unsafe('rollback');
    expect(await store.facts({ max: 10 })).toHaveLength(2);
  });

  it('I17: what is held back for a moment is waited for', async () => {
    const { url, name } = await fixture.database();
    const writing = fixture.server.session(name);
    let waits = 0;
    // The transaction ends while the reader waits for the first time, however long that takes here.
    const sleep: Timers['sleep'] = async (ms, signal) => {
      if (ms === 1 && (waits += 1) === 1) await writing.unsafe('commit');
      return systemTimers.sleep(ms, signal);
    };
    const store = await fixture.open(url, { timers: { ...systemTimers, sleep } });
    await writing.unsafe('begin; update baton.graph set revision = revision');
    await put(store, openingOf({ id: 'a' }));
    expect(await store.facts({ max: 10 })).toHaveLength(1);
    expect(waits).toBe(1);
  });
});
