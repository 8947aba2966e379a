/** Two handles on the same data, as two processes have them. */
import { describe, expect, it, type TestContext } from 'vitest';
import { SESSION_LEASE_MS } from '../../../src/domain/deadlines.ts';
import type { Limits } from '../../../src/domain/limits.ts';
import { POLL_MS, type Store } from '../../../src/stores/store.ts';
import {
  acceptBy,
  cancelled,
  deliverAndVerify,
  idOf,
  limitsOf,
  openingOf,
  openingsOf,
  processOf,
  progressed,
  releaseBy,
  SESSION,
  sessionOf,
  unblocked,
  WORKER,
} from '../builders.ts';
import { followFacts } from '../follow-facts.ts';
import { ALL, everythingIn, put, putHeld, refusalOf, soundRecordOf, valueOf, wholeOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';
import { OFFERS, SETTLED, bestDelayMs } from './hints.ts';

const OTHER = sessionOf('other');
const SESSIONS = [SESSION, OTHER];

export function describeHandles(open: OpenStore): void {
  const two = async ({ skip }: TestContext, limits?: Limits): Promise<readonly [Store, Store]> => {
    const { store, reopen } = await open(limits, SESSIONS);
    skip(reopen === null, 'this store has one handle');
    return [store, await reopen!()];
  };
  /** Half of the calls by each handle, all at once. */
  const split = async <Value>(
    stores: readonly [Store, Store],
    count: number,
    work: (store: Store, index: number) => Promise<Value>,
  ) => Promise.all(Array.from({ length: count }, async (_, index) => work(stores[index % 2]!, index)));

  describe('two handles on the same data', () => {
    it('I17: what one has acknowledged the other sees', async (context) => {
      const [one, other] = await two(context);
      const [made] = await put(one, openingOf({ id: 'a' }));
      expect(await soundRecordOf(other, idOf('a'))).toEqual(made);
      const [claimed] = await other.claim(WORKER, 1, acceptBy());
      expect(await soundRecordOf(one, idOf('a'))).toEqual(claimed?.handoff);
      valueOf((await one.change([made!], deliverAndVerify(1)))[0]);
      expect(await wholeOf(other, idOf('a'))).toEqual(await wholeOf(one, idOf('a')));
      expect(await everythingIn(other)).toEqual(await everythingIn(one));
    });

    it('I6: claims of one record have one winner', async (context) => {
      const stores = await two(context);
      for (let round = 0; round < 5; round += 1) {
        await put(stores[0], openingOf({ id: `a-${round}` }));
        const claims = await split(stores, 50, async (store, index) =>
          store.claim(WORKER, 1, acceptBy(SESSIONS[index % 2])),
        );
        expect(claims.flat()).toHaveLength(1);
        expect(await soundRecordOf(stores[1], idOf(`a-${round}`))).toEqual(claims.flat()[0]?.handoff);
      }
    });

    it('D5, I15: senders race for the last place, one wins', async (context) => {
      const stores = await two(context, limitsOf({ worker: [null, 3] }));
      await put(stores[0], ...openingsOf(2, 'there'), ...openingsOf(5, 'queued', { queued: true }));
      const answers = await split(stores, 50, async (store, index) =>
        index < 5
          ? (await store.change([idOf(`queued-${index}`)], unblocked))[0]!
          : store.insert([openingOf({ id: `a-${index}` })]),
      );
      expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
      for (const answer of answers.filter((each) => !each.ok)) {
        expect(refusalOf(answer)).toEqual({
          code: 'limit-reached',
          agent: 'worker',
          direction: 'incoming',
          count: 3,
          max: 3,
        });
      }
    });

    // Who has lost to others too often may be told so: then nothing was changed.
    it('I1: two hundred changes of one record come one after the other', async (context) => {
      const stores = await two(context);
      await putHeld(stores[0], openingOf({ id: 'a' }));
      const answers = (await split(stores, 200, async (store) => store.change([idOf('a')], progressed))).flat();
      const revisions = answers.filter((answer) => answer.ok).map((answer) => answer.value.revision);
      expect(revisions.toSorted((a, b) => a - b)).toEqual(Array.from(revisions, (_, index) => index + 3));
      for (const answer of answers.filter((each) => !each.ok))
        expect(refusalOf(answer)).toEqual({ code: 'contended', id: 'a' });
      expect(await soundRecordOf(stores[1], idOf('a'))).toMatchObject({ revision: 2 + revisions.length });
      expect(revisions.length).toBeGreaterThan(100);
    });

    it('I1: changes of many records in many orders neither wait for ever nor lose one', async (context) => {
      const stores = await two(context);
      const ids = openingsOf(8, 'a').map((opening) => opening.id);
      await putHeld(stores[0], ...openingsOf(8, 'a'));
      const answers = await split(stores, 40, async (store, index) =>
        store.change(index % 4 < 2 ? ids : ids.toReversed(), progressed),
      );
      const changed = answers
        .flat()
        .filter((answer) => answer.ok)
        .map((answer) => answer.value.id);
      for (const id of ids) {
        const revision = 2 + changed.filter((each) => each === id).length;
        expect(await soundRecordOf(stores[0], id)).toMatchObject({ revision });
      }
    });

    it('I5: the same request by both makes one record', async (context) => {
      const stores = await two(context);
      const guard = { request: { by: '@sender', key: 'k', hash: 'h' } };
      const answers = await split(stores, 30, async (store, index) =>
        store.insert([openingOf({ id: `a-${index}` })], guard),
      );
      expect(new Set(answers.map((answer) => valueOf(answer)[0]?.id)).size).toBe(1);
      expect((await stores[0].find({ by: 'filter', max: ALL })).items).toHaveLength(1);
    });

    it('Q9: of two that would close a ring together, one is refused', async (context) => {
      const [one, other] = await two(context);
      for (let round = 0; round < 10; round += 1) {
        const [a, b] = [`a-${round}`, `b-${round}`];
        const answers = await Promise.all([
          one.insert([openingOf({ id: a, dependsOn: [b] })]),
          other.insert([openingOf({ id: b, dependsOn: [a] })]),
        ]);
        expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
      }
    });

    it('I6: a fence that the other handle has passed on changes nothing', async (context) => {
      const [one, other] = await two(context);
      await put(one, openingOf({ id: 'a' }));
      const [mine] = await one.claim(WORKER, 1, acceptBy());
      valueOf((await other.change([idOf('a')], releaseBy(1)))[0]);
      await other.claim(WORKER, 1, acceptBy(OTHER));
      const late = (await one.change([mine!.handoff], deliverAndVerify(1)))[0];
      expect(refusalOf(late)).toMatchObject({ code: 'lease-lost', fence: 1, newest: 2 });
    });

    it('I18: a waiter is woken by what the other handle does', async ({ skip }) => {
      const { store: one, reopen, tellsOthers = true } = await open(undefined, SESSIONS);
      skip(reopen === null, 'this store has one handle');
      const other = await reopen!();
      const withinMs = tellsOthers ? POLL_MS / 2 : POLL_MS * 2;
      const offers = await bestDelayMs(one, OFFERS, async (round) => put(other, openingOf({ id: `a-${round}` })));
      expect(offers).toBeLessThan(withinMs);
      const settled = await bestDelayMs(other, SETTLED, async (round) => one.change([idOf(`a-${round}`)], cancelled));
      expect(settled).toBeLessThan(withinMs);
    });

    it('I17: a cursor skips nothing and repeats nothing while both write', async (context) => {
      const stores = await two(context);
      await putHeld(stores[0], ...openingsOf(10, 'a'));
      const writing = split(stores, 10, async (store, writer) => {
        for (let round = 0; round < 20; round += 1) {
          const id = idOf(`a-${(writer + round) % 10}`);
          for (let ok = false; !ok;) ok = (await store.change([id], progressed))[0]!.ok;
        }
      });
      const readers = stores.map(async (store) => followFacts(store, 220));
      const [seen, seenByOther] = await Promise.all([...readers, writing.then(() => [])]);
      expect(new Set(seen?.map((fact) => `${fact.handoff}/${fact.revision}`)).size).toBe(220);
      expect(seenByOther).toEqual(seen);
      for (const id of openingsOf(10, 'a').map((opening) => opening.id)) await soundRecordOf(stores[0], id);
    });

    it('I14: sessions, effects and the duty are the same for both', async (context) => {
      const [one, other] = await two(context);
      const [mine, process] = [sessionOf('mine'), processOf()];
      await one.sessions.open({ id: mine, agent: WORKER, process, leaseMs: SESSION_LEASE_MS });
      expect(await other.sessions.end(mine, 0)).toBe(true);
      expect(await one.sessions.beat(mine)).toBe(false);
      await put(one, openingOf({ id: 'a', effects: [{ key: 'k', kind: 'notify', payload: 'null' as never }] }));
      await other.outbox.done(['k']);
      expect(await one.outbox.due(ALL)).toEqual([]);
      const takers = await split([one, other], 20, async (store, index) =>
        store.upkeep.takeDuty(processOf({ pid: index }), null),
      );
      expect(takers.filter(Boolean)).toHaveLength(1);
    });

    it('closing one leaves the other at work', async (context) => {
      const [one, other] = await two(context);
      await put(one, openingOf({ id: 'a' }));
      await one.close();
      valueOf((await other.change([idOf('a')], cancelled))[0]);
      expect(await soundRecordOf(other, idOf('a'))).toMatchObject({ state: 'cancelled' });
    });
  });
}
