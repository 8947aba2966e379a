import { expect, it } from 'vitest';
import { acceptBy, deliverAndVerify, idOf, limitsOf, openingOf, openingsOf } from '../contract/builders.ts';
import { put, trailsIn, valueOf } from '../contract/store-checks.ts';
import { describeWithServer } from './fixture.ts';

await describeWithServer('an audit of a PostgreSQL database', { fsync: true }, (fixture) => {
  it.each([
    ['nothing', 'select 1', [], /^$/],
    ['a counter', `update baton.place set all_open = 7`, ['counter'], /@worker counts 7 open coming in .*there are 2/],
    ['a fact that is gone', `delete from baton.fact where revision = 2`, ['revision'], /a-0 has 3 facts at revision 4/],
    ['the newest fact', `delete from baton.fact where revision = 4`, ['revision', 'trail'], /newest fact/],
    ['a hash', `update baton.fact set hash = 'x' where revision = 4`, ['trail'], /a-0: the newest fact/],
    ['a revision', `update baton.handoff set revision = 9 where id = 'a-1'`, ['revision'], /a-1 has 1 facts/],
    ['a body', `delete from baton.body where id = 'a-0'`, ['body', 'reference'], /the body of a-0 is missing/],
    ['a record', `delete from baton.handoff where id = 'a-1'`, ['body', 'counter'], /the body of a-1 has no record/],
  ])('sees that %s was changed by hand', async (_, sql, kinds, says) => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url, { limits: limitsOf({ worker: [null, 10] }) });
    await put(store, ...openingsOf(3, 'a'), openingOf({ id: 'place', queued: true }));
    valueOf((await store.change([idOf('a-0')], acceptBy()))[0]);
    valueOf((await store.change([idOf('a-0')], deliverAndVerify(1)))[0]);
    await fixture.server.sql(name).unsafe(sql);
    const findings = await store.upkeep.audit();
    expect([...new Set(findings.map(({ what }) => what))].toSorted()).toEqual(kinds);
    expect(findings.map((finding) => finding.says).join('\n')).toMatch(says);
  });

  it('accuses only the one whose body is gone, and says so of it', async () => {
    const { url, name } = await fixture.database();
    const store = await fixture.open(url);
    await put(store, ...openingsOf(40, 'a'));
    await fixture.server.sql(name).unsafe(`delete from baton.body where id = 'a-2'`);
    const about = (await store.upkeep.audit()).map(({ handoff }) => handoff);
    expect(about.filter((id) => id !== null)).toEqual(['a-2']);
    expect(await trailsIn(store)).toEqual({ flawed: [], count: 39 });
    await expect(store.load(idOf('a-2'))).rejects.toThrow(/the text of a-2 is missing.*baton doctor/);
    expect(await store.load(idOf('a-99'))).toBe(null);
  });
});

const careless = ['full_page_writes=off', 'synchronous_commit=off'];
await describeWithServer('a careless PostgreSQL server', { fsync: false, settings: careless }, (fixture) => {
  it('is told what it risks; what Baton sets for itself is not told', async () => {
    const store = await fixture.open((await fixture.database()).url);
    const findings = await store.upkeep.audit();
    expect(findings.map(({ what }) => what)).toEqual(['setting', 'setting']);
    expect(findings.map(({ says }) => says).toSorted()).toEqual([
      expect.stringContaining('full_page_writes is off'),
      expect.stringContaining('fsync is off'),
    ]);
  });
});
