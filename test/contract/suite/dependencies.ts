/** What a record waits for is looked up with its making, and nobody may wait in a circle. */
import { describe, expect, it } from 'vitest';
import { ok } from '../../../src/foundation/result.ts';
import type { DependencyStates } from '../../../src/domain/dependencies.ts';
import { reblock } from '../../../src/domain/moves/block.ts';
import type { HandoffId } from '../../../src/domain/names.ts';
import type { NewHandoff, Store } from '../../../src/stores/store.ts';
import {
  acceptBy,
  acceptByHand,
  cancelled,
  deciding,
  deliverAndVerify,
  idOf,
  openingOf,
  unblocked,
} from '../builders.ts';
import { everythingIn, put, recordOf, refusalOf, trailOf, valueOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

/** The opening, and what its decision was told. */
function listening(opening: NewHandoff): {
  readonly opening: NewHandoff;
  readonly told: () => DependencyStates | undefined;
} {
  let heard: DependencyStates | undefined;
  const decide: NewHandoff['decide'] = (nowMs, dependencies) => {
    heard = new Map(dependencies);
    return opening.decide(nowMs, dependencies);
  };
  return { opening: { ...opening, decide }, told: () => heard };
}

async function complete(store: Store, id: HandoffId): Promise<void> {
  valueOf((await store.change([id], acceptBy()))[0]);
  valueOf((await store.change([id], deliverAndVerify(1)))[0]);
}

async function freed(store: Store, max = 10): Promise<readonly string[]> {
  return (await store.find({ by: 'freed', max })).items.map((item) => item.id);
}

export function describeDependencies(open: OpenStore): void {
  describe('dependencies', () => {
    it('Q9: a decision learns the state of everything it waits for, and of what is not there yet', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'done' }), openingOf({ id: 'open' }), openingOf({ id: 'gone' }));
      await complete(store, idOf('done'));
      await store.change([idOf('gone')], cancelled);
      const { opening, told } = listening(openingOf({ id: 'a', dependsOn: ['done', 'open', 'gone', 'unknown'] }));
      await put(store, opening);
      expect(told()).toEqual(
        new Map([
          ['done', 'completed'],
          ['open', 'offered'],
          ['gone', 'cancelled'],
          ['unknown', null],
        ]),
      );
      expect(await recordOf(store, idOf('a'))).toMatchObject({ state: 'blocked', blockedOn: { reason: 'dependency' } });
    });

    it('Q9: what is completed already is not waited for', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'done' }));
      await complete(store, idOf('done'));
      const [made] = await put(store, openingOf({ id: 'a', dependsOn: ['done'] }));
      expect(made?.state).toBe('offered');
    });

    it('Q9: finds those that wait for what has ended without being completed, and keeps which one it is', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'gone' }), openingOf({ id: 'open' }), openingOf({ id: 'done' }));
      await put(
        store,
        openingOf({ id: 'a', dependsOn: ['open', 'gone'] }),
        openingOf({ id: 'b', dependsOn: ['open'] }),
      );
      await put(store, openingOf({ id: 'c', dependsOn: ['gone'] }), openingOf({ id: 'd', dependsOn: ['unknown'] }));
      await complete(store, idOf('done'));
      expect((await store.find({ by: 'waiting', on: 'failed', max: 10 })).items).toEqual([]);
      await store.change([idOf('gone')], cancelled);
      const found = await store.find({ by: 'waiting', on: 'failed', max: 1 });
      expect(found.items.map(({ id }) => id)).toEqual(['a']);
      const rest = await store.find({ by: 'waiting', on: 'failed', max: 10, after: found.next ?? '' });
      expect(rest.items.map(({ id }) => id)).toEqual(['c']);
      const blockedOn = { reason: 'dependency', failed: idOf('gone') } as const;
      const marked = deciding('reblock', (handoff, nowMs) => reblock(handoff, blockedOn, nowMs));
      valueOf((await store.change([idOf('a')], marked))[0]);
      expect(await recordOf(store, idOf('a'))).toMatchObject({ state: 'blocked', revision: 2, blockedOn });
      expect((await trailOf(store, idOf('a'))).map(({ deed }) => deed)).toEqual(['create', 'reblock']);
      expect((await store.upkeep.audit()).filter(({ handoff }) => handoff !== null)).toEqual([]);
    });

    it('Q9: finds the retries of a handoff, within its chain or as the first of one', async () => {
      const { store } = await open();
      const retry = (id: string, root: string, retryOf: string): NewHandoff =>
        openingOf({ id, lineage: { root: idOf(root), parent: null, retryOf: idOf(retryOf), hops: 1 } });
      await put(store, openingOf({ id: 'one' }), openingOf({ id: 'other' }));
      await put(
        store,
        retry('one-b', 'one', 'one'),
        retry('one-c', 'one', 'one-b'),
        retry('other-b', 'other', 'other'),
      );
      const retriesOf = async (...names: readonly string[]): Promise<readonly string[]> => {
        const { items: of } = await store.find({ by: 'ids', ids: names.map(idOf) });
        return (await store.find({ by: 'retries', of, max: 10 })).items.map(({ id }) => id).toSorted();
      };
      expect(await retriesOf('one')).toEqual(['one-b']);
      expect(await retriesOf('one-b', 'other')).toEqual(['one-c', 'other-b']);
      expect(await retriesOf('one-c')).toEqual([]);
    });

    it('Q9: records of one insert wait for each other, in either order', async () => {
      const { store } = await open();
      const made = await put(
        store,
        openingOf({ id: 'a', dependsOn: ['b'] }),
        openingOf({ id: 'b' }),
        openingOf({ id: 'c', dependsOn: ['b'] }),
      );
      expect(made.map((handoff) => handoff.state)).toEqual(['blocked', 'offered', 'blocked']);
    });

    it('Q9: what is completed by the same insert is still waited for, and found to be free', async () => {
      const { store } = await open();
      const finished = openingOf({ id: 'done' });
      const decide: NewHandoff['decide'] = (nowMs, dependencies) => {
        const made = valueOf(finished.decide(nowMs, dependencies));
        const taken = valueOf(acceptByHand()(made.handoff, nowMs));
        const settled = valueOf(deliverAndVerify(null)(taken.handoff, nowMs));
        return ok({ ...settled, facts: [...made.facts, ...taken.facts, ...settled.facts] });
      };
      const made = await put(store, { ...finished, decide }, openingOf({ id: 'a', dependsOn: ['done'] }));
      expect(made.map((handoff) => handoff.state)).toEqual(['completed', 'blocked']);
      expect(await freed(store)).toEqual(['a']);
    });

    it('Q9: a record that waits for itself is refused', async () => {
      const { store } = await open();
      const answer = await store.insert([openingOf({ id: 'a', dependsOn: ['a'] })]);
      expect(refusalOf(answer)).toEqual({ code: 'dependency-cycle', ring: ['a', 'a'] });
      expect(await store.load(idOf('a'))).toBeNull();
    });

    it('Q9: a ring over records that are there is refused by whoever would close it', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', dependsOn: ['b'] }));
      await put(store, openingOf({ id: 'b', dependsOn: ['c'] }));
      const before = await everythingIn(store);
      const answer = await store.insert([openingOf({ id: 'c', dependsOn: ['a'] })]);
      expect(refusalOf(answer)).toEqual({ code: 'dependency-cycle', ring: ['c', 'a', 'b', 'c'] });
      expect(await everythingIn(store)).toEqual(before);
    });

    it('Q9: a ring within one insert is refused whole', async () => {
      const { store } = await open();
      const answer = await store.insert([
        openingOf({ id: 'x' }),
        openingOf({ id: 'a', dependsOn: ['b'] }),
        openingOf({ id: 'b', dependsOn: ['a'] }),
      ]);
      expect(refusalOf(answer)).toMatchObject({ code: 'dependency-cycle' });
      expect((await store.find({ by: 'filter', max: 10 })).items).toEqual([]);
    });

    it('Q9: a ring over stored records and those of the insert is refused', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', dependsOn: ['b'] }));
      const answer = await store.insert([
        openingOf({ id: 'c', dependsOn: ['a'] }),
        openingOf({ id: 'b', dependsOn: ['c'] }),
      ]);
      expect(refusalOf(answer)).toMatchObject({ code: 'dependency-cycle' });
      expect(await store.load(idOf('c'))).toBeNull();
    });

    it('Q9: two ways to the same record are not a ring', async () => {
      const { store } = await open();
      await put(
        store,
        openingOf({ id: 'd' }),
        openingOf({ id: 'b', dependsOn: ['d'] }),
        openingOf({ id: 'c', dependsOn: ['d'] }),
      );
      expect(await put(store, openingOf({ id: 'a', dependsOn: ['b', 'c'] }))).toHaveLength(1);
    });

    it('Q9: of two that would close a ring together, one is refused', async () => {
      const { store } = await open();
      for (let round = 0; round < 10; round += 1) {
        const [a, b] = [`a-${round}`, `b-${round}`];
        const answers = await Promise.all([
          store.insert([openingOf({ id: a, dependsOn: [b] })]),
          store.insert([openingOf({ id: b, dependsOn: [a] })]),
        ]);
        expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
        expect(answers.map((answer) => (answer.ok ? null : answer.refusal.code))).toContain('dependency-cycle');
      }
    });

    it('Q9: those whose dependencies are all completed are found, and no others', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'one' }), openingOf({ id: 'two' }), openingOf({ id: 'asks', queued: true }));
      await put(store, openingOf({ id: 'a', dependsOn: ['one'] }), openingOf({ id: 'b', dependsOn: ['one', 'two'] }));
      await put(store, openingOf({ id: 'c', dependsOn: ['one', 'unknown'] }));
      expect(await freed(store)).toEqual([]);
      await complete(store, idOf('one'));
      expect(await freed(store)).toEqual(['a']);
      await complete(store, idOf('two'));
      expect((await freed(store)).toSorted()).toEqual(['a', 'b']);
      expect(await freed(store, 1)).toHaveLength(1);
      await store.change([idOf('a')], unblocked);
      expect(await freed(store)).toEqual(['b']);
    });

    it('Q9: a dependency that came later, or that ended otherwise, frees only when completed', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', dependsOn: ['late'] }), openingOf({ id: 'b', dependsOn: ['gone'] }));
      await put(store, openingOf({ id: 'late' }), openingOf({ id: 'gone' }));
      await store.change([idOf('gone')], cancelled);
      expect(await freed(store)).toEqual([]);
      await complete(store, idOf('late'));
      expect(await freed(store)).toEqual(['a']);
    });
  });
}
