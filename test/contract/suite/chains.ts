/** Chains of handoffs, and those that wait for a place. */
import { describe, expect, it } from 'vitest';
import { NO_LINEAGE } from '../../../src/domain/handoff.ts';
import type { Query, Store } from '../../../src/stores/store.ts';
import { agentOf, asking, cancelled, idOf, limitsOf, openingOf, openingsOf, unblocked } from '../builders.ts';
import { ALL, put, putHeld, recordOf, refusalOf, valueOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

async function found(store: Store, query: Query): Promise<readonly string[]> {
  const page = await store.find(query);
  expect(page.next).toBeNull();
  return page.items.map(({ id }) => id);
}

function heirOf(root: string, id: string, parent = root): ReturnType<typeof openingOf> {
  return openingOf({ id, lineage: { ...NO_LINEAGE, root: idOf(root), parent: idOf(parent), hops: 1 } });
}

export function describeChains(open: OpenStore): void {
  describe('find by chain', () => {
    it('finds the root and all that descend from it, oldest first', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'root' }), openingOf({ id: 'alone' }));
      await put(store, heirOf('root', 'first'), heirOf('alone', 'other'));
      await put(store, heirOf('root', 'second', 'first'));
      await store.change([idOf('root'), idOf('first')], cancelled);
      expect(await found(store, { by: 'chain', root: idOf('root'), max: ALL })).toEqual(['root', 'first', 'second']);
      expect(await found(store, { by: 'chain', root: idOf('root'), max: 2 })).toEqual(['root', 'first']);
      expect(await found(store, { by: 'chain', root: idOf('first'), max: ALL })).toEqual(['first']);
      const { items } = await store.find({ by: 'chain', root: idOf('root'), max: ALL });
      expect(items[1]).toEqual(await recordOf(store, idOf('first')));
    });

    it('a root that nobody has stored still has its heirs, and one that names itself comes once', async () => {
      const { store } = await open();
      await put(store, heirOf('elsewhere', 'heir'), heirOf('itself', 'itself'), heirOf('itself', 'later'));
      expect(await found(store, { by: 'chain', root: idOf('elsewhere'), max: ALL })).toEqual(['heir']);
      expect(await found(store, { by: 'chain', root: idOf('itself'), max: ALL })).toEqual(['itself', 'later']);
      expect(await found(store, { by: 'chain', root: idOf('unknown'), max: ALL })).toEqual([]);
    });
  });

  describe('find by waiting', () => {
    it('S6: finds what waits for a name that begins so, and what waits for an answer, oldest first', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'asks' }), openingOf({ id: 'asks-for-ever', terms: { blockedMs: null } }));
      await store.change([idOf('asks'), idOf('asks-for-ever')], asking('which?', 1));
      await put(
        store,
        openingOf({ id: 'one', dependsOn: ['task.a.1'] }),
        openingOf({ id: 'two', dependsOn: ['other', 'task.b.1', 'task.b.2'] }),
        openingOf({ id: 'three', dependsOn: ['other', 'tasks'] }),
        openingOf({ id: 'over', dependsOn: ['task.a.1'] }),
        openingOf({ id: 'queued', queued: true, dependsOn: ['task.a.1'] }),
      );
      await store.change([idOf('over')], cancelled);
      const waiting = { by: 'waiting', max: ALL } as const;
      expect(await found(store, { ...waiting, on: { named: 'task.' } })).toEqual(['one', 'two']);
      expect(await found(store, { ...waiting, on: { named: 'task.b.' } })).toEqual(['two']);
      expect(await found(store, { ...waiting, on: { named: 'none' } })).toEqual([]);
      expect(await found(store, { ...waiting, on: 'answer' })).toEqual(['asks']);
      const first = await store.find({ ...waiting, on: { named: 'task.' }, max: 1 });
      expect(first.items.map(({ id }) => id)).toEqual(['one']);
      expect(await found(store, { ...waiting, on: { named: 'task.' }, after: first.next ?? '' })).toEqual(['two']);
    });
  });

  describe('find by places', () => {
    it('finds what waits for a place and nothing else, oldest first', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'asks' }));
      await store.change([idOf('asks')], asking('which?', 1));
      await put(
        store,
        openingOf({ id: 'offered' }),
        openingOf({ id: 'depends', dependsOn: ['unknown'] }),
        ...openingsOf(4, 'queued', { queued: true }),
      );
      await store.change([idOf('queued-1')], unblocked);
      await store.change([idOf('queued-2')], cancelled);
      expect(await found(store, { by: 'places', max: ALL })).toEqual(['queued-0', 'queued-3']);
      const first = await store.find({ by: 'places', max: 1 });
      expect(first.items.map(({ id }) => id)).toEqual(['queued-0']);
      expect(await found(store, { by: 'places', max: ALL, after: first.next ?? '' })).toEqual(['queued-3']);
    });

    it('D5, I15: what comes in blocked for a place counts in neither direction, whatever else comes with it', async () => {
      const { store } = await open(limitsOf({ sender: [2, null], worker: [null, 2] }));
      await put(store, ...openingsOf(2, 'queued', { queued: true }), openingOf({ id: 'a' }), openingOf({ id: 'b' }));
      expect(refusalOf(await store.insert([openingOf({ id: 'c' })]))).toMatchObject({
        code: 'limit-reached',
        count: 2,
      });
      // The house is full, and still there is room for those who only wait.
      await put(store, ...openingsOf(3, 'more', { queued: true }));
      expect(await found(store, { by: 'places', max: ALL })).toHaveLength(5);
      expect(refusalOf(await store.insert([openingOf({ id: 'd', to: agentOf('other') })]))).toMatchObject({
        agent: 'sender',
        direction: 'outgoing',
        count: 2,
      });
    });

    it('D5, I15: of those that compete for the last place one gets it, the others go on waiting', async () => {
      const { store, reopen } = await open(limitsOf({ worker: [null, 2] }));
      const stores = [store, reopen === null ? store : await reopen()];
      await put(store, openingOf({ id: 'there' }), ...openingsOf(6, 'queued', { queued: true }));
      const waiting = (await store.find({ by: 'places', max: ALL })).items;
      const answers = await Promise.all(
        waiting.map(async (handoff, index) => stores[index % 2]!.change([handoff], unblocked)),
      );
      const winners = answers.flat().filter((answer) => answer.ok);
      expect(winners).toHaveLength(1);
      for (const answer of answers.flat().filter((each) => !each.ok)) {
        expect(refusalOf(answer)).toEqual({
          code: 'limit-reached',
          agent: 'worker',
          direction: 'incoming',
          count: 2,
          max: 2,
        });
      }
      const left = waiting.map(({ id }) => id).filter((id) => id !== valueOf(winners[0]).id);
      expect(await found(store, { by: 'places', max: ALL })).toEqual(left);
      await store.change([idOf('there')], cancelled);
      expect(valueOf((await store.change([idOf(left[0]!)], unblocked))[0]).state).toBe('offered');
    });
  });
}
