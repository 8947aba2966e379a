/** Request ids: asking again is answered again, and done once. */
import { describe, expect, it } from 'vitest';
import { REQUEST_DAYS, type RequestKey } from '../../../src/stores/store.ts';
import { acceptBy, idOf, openingOf, Thrown, throwing, WORKER } from '../builders.ts';
import { everythingIn, put, recordOf, refusalOf, soundRecordOf, valueOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

const DAY_MS = 24 * 60 * 60_000;

function requestOf(parts: Partial<RequestKey> = {}): { readonly request: RequestKey } {
  return { request: { by: '@sender', key: 'key-1', hash: 'hash-1', ...parts } };
}

export function describeRequests(open: OpenStore): void {
  describe('request ids', () => {
    it('I5: the same request answers the same records, in order, and changes nothing', async () => {
      const { store } = await open();
      const first = valueOf(await store.insert([openingOf({ id: 'b' }), openingOf({ id: 'a' })], requestOf()));
      const before = await everythingIn(store);
      // Made anew by the caller, so with other ids: the answer is still the first one.
      const second = valueOf(await store.insert([openingOf({ id: 'd' }), openingOf({ id: 'c' })], requestOf()));
      expect(second).toEqual(first);
      expect(await everythingIn(store)).toEqual(before);
    });

    it('I5, I17: a repeated request answers the records as they are now', async () => {
      const { store } = await open();
      await store.insert([openingOf({ id: 'a' })], requestOf());
      await store.claim(WORKER, 1, acceptBy());
      const [again] = valueOf(await store.insert([openingOf({ id: 'a' })], requestOf()));
      expect(again).toEqual(await recordOf(store, idOf('a')));
      expect(again).toMatchObject({ state: 'accepted', revision: 2 });
    });

    it('I5: the same request id with another body is refused', async () => {
      const { store } = await open();
      await store.insert([openingOf({ id: 'a' })], requestOf());
      const before = await everythingIn(store);
      const answer = await store.insert([openingOf({ id: 'b' })], requestOf({ hash: 'hash-2' }));
      expect(refusalOf(answer)).toEqual({ code: 'request-reused', key: 'key-1' });
      expect(await everythingIn(store)).toEqual(before);
    });

    it('S4: a request is found under its other key too, and answered under its own', async () => {
      const { store } = await open();
      await store.insert([openingOf({ id: 'a' })], requestOf({ also: 'key-2', forEver: true }));
      const relayed = requestOf({ key: 'key-3', also: 'key-4', forEver: true });
      valueOf(await store.relay(idOf('a'), acceptBy(), [], relayed));
      for (const key of ['key-1', 'key-2', 'key-3', 'key-4']) {
        const { items } = await store.find({ by: 'request', request: { by: '@sender', key } });
        expect([key, items.map(({ id }) => id)]).toEqual([key, ['a']]);
      }
      expect((await store.find({ by: 'request', request: { by: '@other', key: 'key-2' } })).items).toEqual([]);
    });

    it('I5: request ids are per principal', async () => {
      const { store } = await open();
      await store.insert([openingOf({ id: 'a' })], requestOf());
      const [other] = valueOf(
        await store.insert([openingOf({ id: 'b' })], requestOf({ by: '@other', hash: 'hash-2' })),
      );
      expect(other?.id).toBe('b');
    });

    it('I5: principals and keys are told apart wherever the border between them lies', async () => {
      const { store } = await open();
      await store.insert([openingOf({ id: 'a' })], requestOf({ by: 'one', key: 'two three' }));
      const answer = await store.insert([openingOf({ id: 'b' })], requestOf({ by: 'one two', key: 'three' }));
      expect(valueOf(answer).map((handoff) => handoff.id)).toEqual(['b']);
    });

    it('I5: a request that was refused or that failed is not remembered', async () => {
      const { store } = await open();
      const broken = { ...openingOf({ id: 'a' }), decide: throwing as () => never };
      await expect(store.insert([broken], requestOf())).rejects.toThrow(Thrown);
      const ring = openingOf({ id: 'a', dependsOn: ['a'] });
      expect(refusalOf(await store.insert([ring], requestOf()))).toMatchObject({ code: 'dependency-cycle' });
      const answer = await store.insert([openingOf({ id: 'a' })], requestOf({ hash: 'hash-2' }));
      expect(valueOf(answer).map((handoff) => handoff.id)).toEqual(['a']);
    });

    it('I5: fifty times the same request at once makes one record', async () => {
      const { store } = await open();
      const answers = await Promise.all(
        Array.from({ length: 50 }, async (_, index) => store.insert([openingOf({ id: `a-${index}` })], requestOf())),
      );
      const ids = answers.map((answer) => valueOf(answer)[0]?.id);
      expect(new Set(ids).size).toBe(1);
      const { items } = await store.find({ by: 'filter', max: 100 });
      expect(items.map((item) => item.id)).toEqual([ids[0]]);
      await soundRecordOf(store, idOf(String(ids[0])));
    });

    it('I5: a request is remembered for its days and then forgotten', async ({ skip }) => {
      const { store, clock, controlsTime } = await open();
      // Only a clock in our hands can show that a week has passed.
      skip(!controlsTime, 'the store has its own clock');
      const [first] = valueOf(await store.insert([openingOf({ id: 'a' })], requestOf()));
      clock.advance(REQUEST_DAYS * DAY_MS - 1);
      expect(valueOf(await store.insert([openingOf({ id: 'b' })], requestOf()))).toEqual([first]);
      clock.advance(DAY_MS);
      const later = await store.insert([openingOf({ id: 'c' })], requestOf({ hash: 'hash-2' }));
      expect(valueOf(later).map((handoff) => handoff.id)).toEqual(['c']);
      expect(await put(store, openingOf({ id: 'd' }))).toHaveLength(1);
    });
  });
}
