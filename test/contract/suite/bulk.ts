/** Large calls: whatever is bounded inside a database, callers do not notice. */
import { describe, expect, it } from 'vitest';
import { cancelled, idOf, jsonOf, limitsOf, openingOf, openingsOf, progressed } from '../builders.ts';
import { feedOf } from '../follow-facts.ts';
import { ALL, put, putHeld, refusalOf, soundRecordOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

const MANY = 1500;
const MANY_IDS = Array.from({ length: MANY }, (_, index) => idOf(`a-${index}`));

export function describeBulk(open: OpenStore): void {
  describe('large calls', () => {
    it('many records are inserted, found and changed in one call each', async () => {
      const { store } = await open();
      const made = await put(store, ...openingsOf(MANY, 'a'));
      expect(made.map((handoff) => handoff.id)).toEqual(MANY_IDS);
      const backwards = MANY_IDS.toReversed();
      expect((await store.find({ by: 'ids', ids: backwards })).items.map((item) => item.id)).toEqual(backwards);
      const answers = await store.change(MANY_IDS, cancelled);
      expect(answers.map((answer) => answer.ok && answer.value.id)).toEqual(MANY_IDS);
      expect(await feedOf(store, 2 * MANY)).toHaveLength(2 * MANY);
      await soundRecordOf(store, idOf(`a-${MANY - 1}`));
    });

    it('I4, D5: of many records none is made when the last one has no place', async () => {
      const { store } = await open(limitsOf({ worker: [null, MANY - 1] }));
      const answer = await store.insert(openingsOf(MANY, 'a'));
      expect(refusalOf(answer)).toMatchObject({ code: 'limit-reached', count: MANY - 1, max: MANY - 1 });
      expect((await store.find({ by: 'filter', max: 1 })).items).toEqual([]);
      expect(await store.facts({ max: 1 })).toEqual([]);
    });

    it('many effects are done in one call', async () => {
      const { store } = await open();
      const effects = Array.from({ length: MANY }, (_, index) => ({
        key: `k-${index}`,
        kind: 'x',
        payload: jsonOf(index),
      }));
      await put(store, openingOf({ id: 'a', effects }));
      expect(await store.outbox.due(ALL)).toEqual(effects);
      await store.outbox.done(effects.slice(1).map((effect) => effect.key));
      expect(await store.outbox.due(ALL)).toEqual(effects.slice(0, 1));
    });

    it('one record is changed many times in one call', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a' }));
      const answers = await store.change(
        Array.from({ length: 300 }, () => idOf('a')),
        progressed,
      );
      expect(answers.filter((answer) => answer.ok)).toHaveLength(300);
      expect(await soundRecordOf(store, idOf('a'))).toMatchObject({ revision: 302 });
    });

    it('Q9: a ring is seen over a long chain and over many branches', async () => {
      const { store } = await open();
      const chain = Array.from({ length: 300 }, (_, index) =>
        openingOf({ id: `c-${index}`, dependsOn: [`c-${index + 1}`] }),
      );
      await put(store, ...chain);
      const branches = Array.from({ length: 200 }, (_, index) => `b-${index}`);
      await put(store, openingOf({ id: 'wide', dependsOn: [...branches, 'c-0'] }));
      const answer = await store.insert([openingOf({ id: 'c-300', dependsOn: ['wide'] })]);
      const refusal = refusalOf(answer);
      expect(
        refusal.code === 'dependency-cycle' && [refusal.ring[0], refusal.ring.at(-1), refusal.ring.length],
      ).toEqual(['c-300', 'c-300', 303]);
    });
  });
}
