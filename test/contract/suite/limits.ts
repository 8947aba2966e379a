/** Limits hold at every instant, for whoever would exceed them by whichever way. */
import { describe, expect, it } from 'vitest';
import type { Limits } from '../../../src/domain/limits.ts';
import {
  acceptBy,
  agentOf,
  cancelled,
  deliverAndVerify,
  idOf,
  limitsOf,
  openingOf,
  openingsOf,
  unblocked,
} from '../builders.ts';
import { everythingIn, put, recordOf, refusalOf, valueOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

const EVERYONE_TWO: Limits = { agents: new Map(), everyone: { outgoingMax: null, incomingMax: 2 } };

export function describeLimits(open: OpenStore): void {
  describe('limits', () => {
    it('D5, I15: what would exceed the limit of the recipient is refused with agent, direction, count and max', async () => {
      const { store } = await open(limitsOf({ worker: [null, 2] }));
      await put(store, ...openingsOf(2, 'a'));
      const before = await everythingIn(store);
      const answer = await store.insert([openingOf({ id: 'b' })]);
      expect(refusalOf(answer)).toEqual({
        code: 'limit-reached',
        agent: 'worker',
        direction: 'incoming',
        count: 2,
        max: 2,
      });
      expect(await everythingIn(store)).toEqual(before);
    });

    it('D5, I15: what others have begun comes in over a limit, and counts', async () => {
      const { store } = await open(limitsOf({ worker: [null, 2] }));
      await put(store, ...openingsOf(2, 'a'));
      const over = await Promise.all(['b', 'c'].map((id) => store.insert([openingOf({ id })], { overLimits: true })));
      expect(over.map((each) => valueOf(each).length)).toEqual([1, 1]);
      expect(refusalOf(await store.insert([openingOf({ id: 'd' })]))).toMatchObject({ count: 4, max: 2 });
      expect(refusalOf(await store.insert([openingOf({ id: 'b' })], { overLimits: true }))).toMatchObject({
        code: 'known-id',
      });
      // How the server is set up is not about places.
      expect((await store.upkeep.audit()).filter(({ what }) => what !== 'setting')).toEqual([]);
    });

    it('D5, I15: the limit of the sender counts what it has sent to all', async () => {
      const { store } = await open(limitsOf({ sender: [2, null] }));
      await put(store, openingOf({ id: 'a', to: agentOf('one') }), openingOf({ id: 'b', to: agentOf('two') }));
      const answer = await store.insert([openingOf({ id: 'c', to: agentOf('three') })]);
      expect(refusalOf(answer)).toEqual({
        code: 'limit-reached',
        agent: 'sender',
        direction: 'outgoing',
        count: 2,
        max: 2,
      });
      expect(await put(store, openingOf({ id: 'd', from: agentOf('three'), to: agentOf('sender') }))).toHaveLength(1);
    });

    it('D5, I15: records of one insert count for each other', async () => {
      const { store } = await open(limitsOf({ worker: [null, 3] }));
      await put(store, openingOf({ id: 'a' }));
      const answer = await store.insert(openingsOf(3, 'b'));
      expect(refusalOf(answer)).toEqual({
        code: 'limit-reached',
        agent: 'worker',
        direction: 'incoming',
        count: 3,
        max: 3,
      });
      expect((await store.find({ by: 'filter', max: 10 })).items).toHaveLength(1);
      expect(await put(store, ...openingsOf(2, 'c'))).toHaveLength(2);
    });

    it('D5: where both are full, the one first by name is told', async () => {
      const { store } = await open(limitsOf({ zoe: [1, null], adam: [null, 1] }));
      const parts = { from: agentOf('zoe'), to: agentOf('adam') };
      await put(store, openingOf({ id: 'a', ...parts }));
      const answer = await store.insert([openingOf({ id: 'b', ...parts })]);
      expect(refusalOf(answer)).toMatchObject({ agent: 'adam', direction: 'incoming' });
    });

    it('D5: who sends to itself needs a place in both directions', async () => {
      const { store } = await open(limitsOf({ solo: [2, 1] }));
      const parts = { from: agentOf('solo'), to: agentOf('solo') };
      await put(store, openingOf({ id: 'a', ...parts }));
      const answer = await store.insert([openingOf({ id: 'b', ...parts })]);
      expect(refusalOf(answer)).toEqual({
        code: 'limit-reached',
        agent: 'solo',
        direction: 'incoming',
        count: 1,
        max: 1,
      });
    });

    it('D5: a limit of nothing lets nothing in', async () => {
      const { store } = await open(limitsOf({ worker: [null, 0] }));
      const answer = await store.insert([openingOf({ id: 'a' })]);
      expect(refusalOf(answer)).toEqual({
        code: 'limit-reached',
        agent: 'worker',
        direction: 'incoming',
        count: 0,
        max: 0,
      });
    });

    it('D5: every open state takes a place, and settling gives it back', async () => {
      const { store } = await open(limitsOf({ worker: [null, 3] }));
      await put(store, openingOf({ id: 'draft', as: 'draft' }), openingOf({ id: 'open' }));
      await put(store, openingOf({ id: 'waits', dependsOn: ['unknown'] }));
      const full = { code: 'limit-reached', count: 3, max: 3 };
      expect(refusalOf(await store.insert([openingOf({ id: 'b' })]))).toMatchObject(full);
      await store.claim(agentOf('worker'), 1, acceptBy());
      expect(refusalOf(await store.insert([openingOf({ id: 'b' })]))).toMatchObject(full);
      await store.change([idOf('open')], deliverAndVerify(1));
      await store.change([idOf('draft')], cancelled);
      expect(await put(store, ...openingsOf(2, 'c'))).toHaveLength(2);
      expect(refusalOf(await store.insert([openingOf({ id: 'b' })]))).toMatchObject(full);
    });

    it('D5: the default for everyone counts documents and stops only documents', async () => {
      const { store } = await open(EVERYONE_TWO);
      await put(store, ...openingsOf(5, 'queue'), ...openingsOf(2, 'document', { kind: 'document' }));
      const answer = await store.insert([openingOf({ id: 'b', kind: 'document' })]);
      expect(refusalOf(answer)).toEqual({
        code: 'limit-reached',
        agent: 'worker',
        direction: 'incoming',
        count: 2,
        max: 2,
      });
      expect(await put(store, openingOf({ id: 'c' }))).toHaveLength(1);
    });

    it('D5: what waits for a place takes none', async () => {
      const { store } = await open(limitsOf({ worker: [null, 1] }));
      await put(store, openingOf({ id: 'a' }), ...openingsOf(3, 'queued', { queued: true }));
      await store.change([idOf('a')], cancelled);
      expect(await put(store, openingOf({ id: 'b' }))).toHaveLength(1);
    });

    it('D5, I15: leaving the queue for a place needs a place', async () => {
      const { store } = await open(limitsOf({ worker: [null, 1] }));
      await put(store, openingOf({ id: 'a' }), openingOf({ id: 'queued', queued: true }));
      const before = await everythingIn(store);
      const refused = (await store.change([idOf('queued')], unblocked))[0];
      expect(refusalOf(refused)).toEqual({
        code: 'limit-reached',
        agent: 'worker',
        direction: 'incoming',
        count: 1,
        max: 1,
      });
      expect(await everythingIn(store)).toEqual(before);
      await store.change([idOf('a')], cancelled);
      expect(valueOf((await store.change([idOf('queued')], unblocked))[0]).state).toBe('offered');
      expect(refusalOf(await store.insert([openingOf({ id: 'b' })]))).toMatchObject({
        code: 'limit-reached',
        count: 1,
      });
    });

    it('D5, I15: of several that leave the queue in one call, as many as there are places get one', async () => {
      const { store } = await open(limitsOf({ worker: [null, 2] }));
      await put(store, ...openingsOf(3, 'queued', { queued: true }));
      const answers = await store.change(
        [0, 1, 2].map((index) => idOf(`queued-${index}`)),
        unblocked,
      );
      expect(answers.map((answer) => answer.ok)).toEqual([true, true, false]);
      expect(refusalOf(answers[2])).toMatchObject({ code: 'limit-reached', count: 2, max: 2 });
      expect(await recordOf(store, idOf('queued-2'))).toMatchObject({ state: 'blocked', revision: 1 });
    });

    it('D5: what leaves the queue by ending needs no place', async () => {
      const { store } = await open(limitsOf({ worker: [null, 0] }));
      await put(store, openingOf({ id: 'queued', queued: true }));
      expect(valueOf((await store.change([idOf('queued')], cancelled))[0]).state).toBe('cancelled');
    });
  });
}
