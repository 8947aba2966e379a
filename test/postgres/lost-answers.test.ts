/** The server has committed, and the answer never arrives: the store finds out by itself what became of it. */
import { expect, it, onTestFinished } from 'vitest';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import type { Decide } from '../../src/domain/decision.ts';
import {
  acceptBy,
  agentOf,
  cancelled,
  deliverAndVerify,
  idOf,
  jsonOf,
  limitsOf,
  openingOf,
  processOf,
  progressed,
  sessionOf,
  unblocked,
  WORKER,
} from '../contract/builders.ts';
import { ALL, put, putHeld, soundRecordOf, valueOf } from '../contract/store-checks.ts';
import { cuttingProxy } from './cutting-proxy.ts';
import { describeWithServer, type Fixture } from './fixture.ts';

const ROUNDS = 10;

await describeWithServer('lost answers', 'shared', (fixture) => {
  it('I1, I4: an insert whose answer was lost is made once and answered as made', async () => {
    const { store, proxy } = await behindProxy(fixture);
    await put(store, openingOf({ id: 'warm' }));
    for (let round = 0; round < ROUNDS; round += 1) {
      proxy.loseNextAnswer();
      expect(await put(store, openingOf({ id: `a-${round}` }))).toMatchObject([{ id: `a-${round}`, revision: 1 }]);
      await soundRecordOf(store, idOf(`a-${round}`));
    }
    expect(proxy.lost).toBe(ROUNDS);
    expect((await store.find({ by: 'filter', max: ALL })).items).toHaveLength(ROUNDS + 1);
  });

  it('I1: inserts that shared the lost statement are each answered', async () => {
    const { store, proxy } = await behindProxy(fixture);
    await put(store, openingOf({ id: 'warm' }));
    proxy.loseNextAnswer();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => store.insert([openingOf({ id: `a-${index}` })])),
    );
    expect(answers.filter((answer) => !answer.ok)).toEqual([]);
    expect(proxy.lost).toBe(1);
    expect((await store.find({ by: 'filter', max: ALL })).items).toHaveLength(21);
  });

  it('I4: an id that somebody else has is still refused after a lost answer', async () => {
    const { store, proxy } = await behindProxy(fixture);
    await put(store, openingOf({ id: 'a', body: jsonOf('theirs') }));
    proxy.loseNextAnswer();
    expect(await store.insert([openingOf({ id: 'a', body: jsonOf('ours') })])).toMatchObject({
      ok: false,
      refusal: { code: 'known-id' },
    });
    expect((await store.load(idOf('a')))?.body).toBe('"theirs"');
  });

  it('I1, I6: a claim whose answer was lost belongs to whoever made it, with its body', async () => {
    const { store, proxy } = await behindProxy(fixture);
    await put(store, ...['warm', 'a', 'b', 'c', 'd'].map((id) => openingOf({ id })));
    await store.claim(WORKER, 1, acceptBy());
    for (const id of ['a', 'b', 'c', 'd']) {
      proxy.loseNextAnswer();
      const [claimed, ...others] = await store.claim(WORKER, 1, acceptBy());
      expect(others).toEqual([]);
      expect(claimed).toMatchObject({ handoff: { id, fence: 1, revision: 2 }, body: jsonOf({ of: id }) });
      expect(await soundRecordOf(store, idOf(id))).toEqual(claimed?.handoff);
    }
    expect(proxy.lost).toBe(4);
  });

  it('I6, I8: whoever lost an answer does not take for its own what another worker accepted in the same millisecond', async () => {
    const { store, proxy } = await behindProxy(fixture);
    const other = sessionOf('other');
    await store.sessions.open({ id: other, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
    const [offered] = await put(store, openingOf({ id: 'a' }));
    const sameTime = (decide: Decide): Decide => {
      return (handoff) => decide(handoff, offered!.since + 1);
    };
    const [theirs] = await store.change([offered!], sameTime(acceptBy()));
    proxy.loseNextAnswer();
    const [ours] = await store.change([offered!], sameTime(acceptBy(other)));
    expect(proxy.lost).toBe(1);
    expect(ours).toMatchObject({ ok: false, refusal: { code: 'move-not-allowed' } });
    expect(await soundRecordOf(store, idOf('a'))).toEqual(valueOf(theirs));
  });

  it('I1, I2: a change whose answer was lost is made once and answered as made', async () => {
    const { store, proxy } = await behindProxy(fixture);
    const [held] = await putHeld(store, openingOf({ id: 'a' }));
    let newest = valueOf((await store.change([held!], progressed))[0]);
    for (let round = 0; round < ROUNDS; round += 1) {
      proxy.loseNextAnswer();
      const changed = valueOf((await store.change([newest], progressed))[0]);
      expect(changed.revision).toBe(newest.revision + 1);
      newest = changed;
    }
    proxy.loseNextAnswer();
    expect(valueOf((await store.change([newest], deliverAndVerify(1, { outcome: jsonOf(1) })))[0]).state).toBe(
      'completed',
    );
    expect(await soundRecordOf(store, idOf('a'))).toMatchObject({ revision: newest.revision + 2 });
    expect(proxy.lost).toBeGreaterThanOrEqual(ROUNDS);
  });

  it('I1, I18: a server that falls silent is given up after a while, and the work is done on a new connection', async () => {
    const { store, proxy } = await behindProxy(fixture);
    await put(store, openingOf({ id: 'warm' }));
    proxy.fallSilent();
    expect(await put(store, openingOf({ id: 'a' }))).toMatchObject([{ id: 'a' }]);
    expect(await soundRecordOf(store, idOf('a'))).toMatchObject({ revision: 1 });
  });

  // These read before they write, so each of their answers is lost once.
  it.each([0, 1, 2, 3])(
    'I5: a request whose answer was lost (after %i) is answered with what it made',
    async (letPass) => {
      const { store, proxy } = await behindProxy(fixture);
      const request = (key: string) => ({ request: { by: '@sender', key, hash: 'h' } });
      await store.insert([openingOf({ id: 'warm' })], request('warm'));
      proxy.loseNextAnswer(letPass);
      for (const id of ['a', 'b', 'c', 'd']) {
        expect(valueOf(await store.insert([openingOf({ id })], request(id)))).toMatchObject([{ id, revision: 1 }]);
        expect(valueOf(await store.insert([openingOf({ id: `${id}-2` })], request(id)))).toMatchObject([{ id }]);
      }
      expect(proxy.lost).toBe(1);
      expect((await store.find({ by: 'filter', max: ALL })).items).toHaveLength(5);
    },
  );

  it.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'I1, I4: a relay whose answer was lost (after %i) is done once, whole, and answered as done',
    async (letPass) => {
      const { store, proxy } = await behindProxy(fixture, { limits: limitsOf({ next: [null, 9] }) });
      await putHeld(store, ...['warm', 'a', 'b'].map((id) => openingOf({ id })));
      const relay = async (id: string, key?: string) => {
        const next = openingOf({ id: `${id}-next`, to: agentOf('next') });
        const guard = key === undefined ? {} : { request: { by: 'summary', key, hash: 'h' } };
        return valueOf(await store.relay(idOf(id), deliverAndVerify(1), [next], guard));
      };
      await relay('warm');
      proxy.loseNextAnswer(letPass);
      for (const [id, key] of [['a'], ['b', 'key']] as const) {
        const { changed, inserted } = await relay(id, key);
        expect(changed).toMatchObject({ id, state: 'completed', revision: 4 });
        expect(inserted).toMatchObject([{ id: `${id}-next`, revision: 1 }]);
        expect(await soundRecordOf(store, idOf(id))).toEqual(changed);
        expect(await soundRecordOf(store, idOf(`${id}-next`))).toEqual(inserted[0]);
      }
      expect(proxy.lost).toBe(1);
      expect((await store.find({ by: 'filter', max: ALL })).items).toHaveLength(6);
    },
  );

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])(
    'I15, D5, Q9: a place is taken once, and dependencies are kept once, whatever is lost (after %i)',
    async (letPass) => {
      const { store, proxy, name } = await behindProxy(fixture, { limits: limitsOf({ worker: [null, 4] }) });
      await put(store, openingOf({ id: 'warm' }));
      await put(store, openingOf({ id: 'queued', queued: true }), openingOf({ id: 'waits', dependsOn: ['later'] }));
      proxy.loseNextAnswer(letPass);
      await put(store, openingOf({ id: 'a' }));
      await put(store, openingOf({ id: 'b', dependsOn: ['a', 'later'] }));
      expect(await store.insert([openingOf({ id: 'c' })])).toMatchObject({
        ok: false,
        refusal: { code: 'limit-reached', count: 4 },
      });
      valueOf((await store.change([idOf('a')], cancelled))[0]);
      valueOf((await store.change([idOf('queued')], unblocked))[0]);
      expect(proxy.lost).toBe(1);
      const sql = fixture.server.sql(name);
      expect(await sql`select all_open from baton.place where agent = 'worker'`).toEqual([{ all_open: 4 }]);
      expect(await sql`select id, needs from baton.dependency order by id, needs`).toEqual([
        { id: 'b', needs: 'a' },
        { id: 'b', needs: 'later' },
        { id: 'waits', needs: 'later' },
      ]);
      for (const id of ['a', 'b', 'queued', 'waits', 'warm']) await soundRecordOf(store, idOf(id));
    },
  );
});

async function behindProxy(fixture: Fixture, options: Parameters<Fixture['open']>[1] = {}) {
  const { url, name } = await fixture.database();
  const port = Number(new URL(url).port);
  const proxy = await cuttingProxy(port);
  const store = await fixture.open(url.replace(`:${port}/`, `:${proxy.port}/`), options);
  onTestFinished(async () => proxy.close());
  return { store, proxy, name };
}
