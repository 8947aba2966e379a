/** Effects: written with the fact that asks for them, there until they are done. */
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../src/domain/decision.ts';
import type { Store } from '../../../src/stores/store.ts';
import {
  acceptBy,
  cancelled,
  deciding,
  deliverAndVerify,
  idOf,
  jsonOf,
  openingOf,
  openingsOf,
  refusing,
  Thrown,
  throwing,
  WORKER,
} from '../builders.ts';
import { ALL, put, putHeld, refusalOf } from '../store-checks.ts';
import { ok } from '../../../src/foundation/result.ts';
import type { OpenStore } from '../store-under-test.ts';

function effectOf(key: string, payload = key): Effect {
  return { key, kind: 'notify', payload: jsonOf({ says: payload }) };
}

function telling(...keys: readonly string[]): ReturnType<typeof deciding> {
  return deciding('progress', (handoff) => ok(handoff), { effects: keys.map((key) => effectOf(key)) });
}

async function dueKeys(store: Store, max = ALL): Promise<readonly string[]> {
  return (await store.outbox.due(max)).map((effect) => effect.key);
}

export function describeOutbox(open: OpenStore): void {
  describe('outbox', () => {
    it('I9: effects of inserts, claims and changes are due in order, as they were written', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', effects: [effectOf('made')] }));
      await store.claim(WORKER, 1, (handoff, nowMs) => {
        const decided = acceptBy()(handoff, nowMs);
        return decided.ok ? ok({ ...decided.value, effects: [effectOf('taken-1'), effectOf('taken-2')] }) : decided;
      });
      await store.change(
        [idOf('a')],
        deliverAndVerify(1, { effects: [{ key: 'done', kind: 'next-leg', payload: jsonOf(null) }] }),
      );
      expect(await store.outbox.due(ALL)).toEqual([
        effectOf('made'),
        effectOf('taken-1'),
        effectOf('taken-2'),
        { key: 'done', kind: 'next-leg', payload: 'null' },
      ]);
      expect(await dueKeys(store, 2)).toEqual(['made', 'taken-1']);
    });

    it("I9: of several that take what is due, one gets it; what is not due is nobody's", async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', effects: [effectOf('one'), effectOf('two')] }));
      const taken = await Promise.all(Array.from({ length: 5 }, () => store.outbox.take('one', 60_000)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await dueKeys(store)).toEqual(['two']);
      await store.outbox.postpone('two', 60_000);
      expect(await store.outbox.take('two', 60_000)).toBe(false);
      expect(await store.outbox.take('unknown', 60_000)).toBe(false);
      await store.outbox.done(['one']);
      expect(await store.outbox.take('one', 0)).toBe(false);
    });

    it('I9: what is due stays due until it is done', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', effects: ['one', 'two', 'three'].map((key) => effectOf(key)) }));
      expect(await dueKeys(store)).toEqual(await dueKeys(store));
      await store.outbox.done(['two', 'unknown']);
      expect(await dueKeys(store)).toEqual(['one', 'three']);
      await store.outbox.done([]);
      await store.outbox.done(['three', 'one']);
      expect(await dueKeys(store)).toEqual([]);
    });

    it('I9: the same key again is ignored', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a', effects: [effectOf('k', 'first'), effectOf('k', 'second')] }));
      await put(store, openingOf({ id: 'b', effects: [effectOf('k', 'third')] }));
      await store.change([idOf('a')], telling('k', 'l'));
      expect(await store.outbox.due(ALL)).toEqual([effectOf('k', 'first'), effectOf('l')]);
    });

    it('I9: a key that is done is not done again', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', effects: [effectOf('k', 'first')] }));
      await store.outbox.done(['k']);
      await put(store, openingOf({ id: 'b', effects: [effectOf('k', 'second'), effectOf('l')] }));
      await store.outbox.postpone('k', 0);
      expect(await dueKeys(store)).toEqual(['l']);
    });

    it('I9: what has to wait is not due, and is due again when its time has come', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', effects: [effectOf('one'), effectOf('two')] }));
      await store.outbox.postpone('one', 60 * 60_000);
      await store.outbox.postpone('unknown', 0);
      expect(await dueKeys(store)).toEqual(['two']);
      await store.outbox.postpone('one', 0);
      expect((await dueKeys(store)).toSorted()).toEqual(['one', 'two']);
    });

    it('I9: what has to wait is due at its moment', async ({ skip }) => {
      const { store, clock, controlsTime } = await open();
      // The moment itself can only be shown with a clock in our hands.
      skip(!controlsTime, 'the store has its own clock');
      await put(store, openingOf({ id: 'a', effects: [effectOf('one')] }));
      await store.outbox.postpone('one', 1000);
      clock.advance(999);
      expect(await dueKeys(store)).toEqual([]);
      clock.advance(1);
      expect(await dueKeys(store)).toEqual(['one']);
    });

    it('I9: how often something was tried is kept with it, until somebody says otherwise', async () => {
      const { store, reopen } = await open();
      await put(store, openingOf({ id: 'a', effects: [effectOf('one'), effectOf('two')] }));
      await store.outbox.postpone('one', 0, 3);
      await store.outbox.postpone('one', 0);
      await store.outbox.postpone('two', 0);
      const elsewhere = reopen === null ? store : await reopen();
      const due = (await elsewhere.outbox.due(ALL)).toSorted((a, b) => (a.key < b.key ? -1 : 1));
      expect(due).toEqual([{ ...effectOf('one'), tries: 3 }, effectOf('two')]);
      await store.outbox.done(['one']);
      await store.outbox.postpone('one', 0, 4);
      expect(await dueKeys(store)).toEqual(['two']);
    });

    it('I9: what was given up says why, and is due again when somebody asks for it', async () => {
      const { store, reopen } = await open();
      await put(store, openingOf({ id: 'a', effects: [effectOf('one'), effectOf('two'), effectOf('three')] }));
      await store.outbox.postpone('one', 0, 3);
      await store.outbox.drop('one', 'gone for good');
      await store.outbox.done(['three']);
      await store.outbox.drop('three', 'too late');
      expect(await dueKeys(store)).toEqual(['two']);
      const elsewhere = reopen === null ? store : await reopen();
      const dropped = await elsewhere.outbox.dropped(ALL);
      expect(dropped).toMatchObject([{ ...effectOf('one'), tries: 3, says: 'gone for good' }]);
      expect(await elsewhere.outbox.requeue('two')).toBe(false);
      expect(await elsewhere.outbox.requeue('three')).toBe(false);
      expect(await elsewhere.outbox.requeue('one')).toBe(true);
      expect(await elsewhere.outbox.requeue('one')).toBe(false);
      expect(await store.outbox.dropped(ALL)).toEqual([]);
      expect((await store.outbox.due(ALL)).find(({ key }) => key === 'one')).toEqual(effectOf('one'));
    });

    it('I4, I9: what was refused or thrown has no effects', async () => {
      const { store } = await open();
      await putHeld(store, ...openingsOf(2, 'a'));
      await store.change([idOf('a-0')], refusing);
      const mixed = store.change([idOf('a-0'), idOf('a-1')], (handoff, nowMs) =>
        (handoff.id === 'a-1' ? throwing : telling('torn'))(handoff, nowMs),
      );
      await expect(mixed).rejects.toThrow(Thrown);
      const refused = await store.insert([openingOf({ id: 'b', effects: [effectOf('b')] }), openingOf({ id: 'a-0' })]);
      expect(refusalOf(refused)).toMatchObject({ code: 'known-id' });
      expect(await dueKeys(store)).toEqual([]);
    });

    it('I5, I9: a repeated request has its effects once', async () => {
      const { store } = await open();
      const guard = { request: { by: '@sender', key: 'k', hash: 'h' } };
      await store.insert([openingOf({ id: 'a', effects: [effectOf('one')] })], guard);
      await store.outbox.done(['one']);
      await store.insert([openingOf({ id: 'a', effects: [effectOf('one')] })], guard);
      expect(await dueKeys(store)).toEqual([]);
    });

    it('I9: effects outlive what asked for them', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', effects: [effectOf('one')] }));
      await store.change([idOf('a')], cancelled);
      expect(await dueKeys(store)).toEqual(['one']);
    });
  });
}
