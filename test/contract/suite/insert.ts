/** Making records: all of an insert or nothing of it. */
import { describe, expect, it } from 'vitest';
import { err } from '../../../src/foundation/result.ts';
import { idOf, jsonOf, openingOf, SENDER, Thrown, throwing, WORKER } from '../builders.ts';
import { everythingIn, put, refusalOf, soundRecordOf, valueOf, wholeOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

export function describeInsert(open: OpenStore): void {
  describe('insert', () => {
    it('answers the records in order and keeps them with their bodies', async () => {
      const { store } = await open();
      const made = await put(
        store,
        openingOf({ id: 'b', body: jsonOf([1]) }),
        openingOf({ id: 'a', body: jsonOf([2]) }),
      );
      expect(made.map((handoff) => [handoff.id, handoff.state, handoff.revision])).toEqual([
        ['b', 'offered', 1],
        ['a', 'offered', 1],
      ]);
      expect(await wholeOf(store, idOf('b'))).toEqual({ handoff: made[0], body: '[1]', outcome: null });
      expect(await wholeOf(store, idOf('a'))).toEqual({ handoff: made[1], body: '[2]', outcome: null });
      expect(await soundRecordOf(store, idOf('a'))).toMatchObject({ from: SENDER, to: WORKER });
    });

    it('dates records with the time of the store', async () => {
      const { store } = await open();
      const before = store.nowMs();
      const [made] = await put(store, openingOf({ id: 'a' }));
      expect(made?.createdAt).toBeGreaterThanOrEqual(before);
      expect(made?.createdAt).toBeLessThanOrEqual(store.nowMs());
    });

    it('keeps an outcome that is there from the beginning', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', outcome: jsonOf('early') }));
      expect((await wholeOf(store, idOf('a'))).outcome).toBe('"early"');
    });

    it('does nothing for nothing', async () => {
      const { store } = await open();
      expect(valueOf(await store.insert([]))).toEqual([]);
      expect(await store.facts({ max: 10 })).toEqual([]);
    });

    it('I4: a known id is refused and the others of the insert are not made', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      const before = await everythingIn(store);
      const answer = await store.insert([openingOf({ id: 'b' }), openingOf({ id: 'a' }), openingOf({ id: 'c' })]);
      expect(refusalOf(answer)).toEqual({ code: 'known-id', id: 'a' });
      expect(await everythingIn(store)).toEqual(before);
    });

    it('I4: the same id twice in one insert is refused', async () => {
      const { store } = await open();
      const answer = await store.insert([openingOf({ id: 'a' }), openingOf({ id: 'a' })]);
      expect(refusalOf(answer)).toEqual({ code: 'known-id', id: 'a' });
      expect(await store.load(idOf('a'))).toBeNull();
    });

    it('I4: a decision that refuses is answered, and nothing of the insert is made', async () => {
      const { store } = await open();
      const unwilling = {
        ...openingOf({ id: 'b' }),
        decide: () => err({ code: 'not-overdue', id: idOf('b') } as const),
      };
      expect(refusalOf(await store.insert([openingOf({ id: 'a' }), unwilling]))).toEqual({
        code: 'not-overdue',
        id: 'b',
      });
      expect(await store.load(idOf('a'))).toBeNull();
    });

    it('I4: a decision that throws rejects this insert only', async () => {
      const { store } = await open();
      const broken = { ...openingOf({ id: 'b' }), decide: throwing as () => never };
      const [bad, good] = await Promise.allSettled([
        store.insert([openingOf({ id: 'a' }), broken]),
        store.insert([openingOf({ id: 'c' })]),
      ]);
      expect(bad).toMatchObject({ status: 'rejected', reason: expect.any(Thrown) as unknown });
      expect(good).toMatchObject({ status: 'fulfilled', value: { ok: true } });
      expect(await store.load(idOf('a'))).toBeNull();
      expect(await soundRecordOf(store, idOf('c'))).toMatchObject({ revision: 1 });
    });
  });
}
