/** One change and what follows from it: all of it, or nothing. */
import { describe, expect, it } from 'vitest';
import { REQUEST_DAYS, type RequestKey } from '../../../src/stores/store.ts';
import {
  acceptBy,
  agentOf,
  cancelled,
  deliverAndVerify,
  failBy,
  idOf,
  jsonOf,
  limitsOf,
  openingOf,
  progressed,
  refusing,
  releaseBy,
  SENDER,
  SESSION,
  Thrown,
  throwing,
  WORKER,
} from '../builders.ts';
import { feedOf } from '../follow-facts.ts';
import {
  everythingIn,
  put,
  putHeld,
  recordOf,
  refusalOf,
  soundRecordOf,
  trailOf,
  valueOf,
  wholeOf,
} from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

const DAY_MS = 24 * 60 * 60_000;
const REQUEST: RequestKey = { by: 'summary', key: 'block-1', hash: 'hash-1' };
const A = idOf('a');

export function describeRelay(open: OpenStore): void {
  describe('relay', () => {
    it('settles one and opens the next, with facts, outcome, body and effects of both', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a' }));
      const effect = (key: string) => [{ key, kind: 'notify', payload: jsonOf(key) }];
      const settle = deliverAndVerify(1, { outcome: jsonOf('out'), effects: effect('of-a') });
      const next = openingOf({ id: 'b', to: agentOf('next'), body: jsonOf('in'), effects: effect('of-b') });
      const { changed, inserted } = valueOf(await store.relay(A, settle, [next]));
      expect(changed).toMatchObject({ id: 'a', state: 'completed', revision: 4 });
      expect(inserted).toMatchObject([{ id: 'b', state: 'offered', to: 'next' }]);
      expect(await soundRecordOf(store, A)).toEqual(changed);
      expect(await soundRecordOf(store, idOf('b'))).toEqual(inserted[0]);
      expect((await wholeOf(store, A)).outcome).toBe('"out"');
      expect((await wholeOf(store, idOf('b'))).body).toBe('"in"');
      expect((await store.outbox.due(10)).map(({ key }) => key).toSorted()).toEqual(['of-a', 'of-b']);
    });

    it('S9: the facts of the one stand before those of the others', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a' }));
      valueOf(await store.relay(A, deliverAndVerify(1), [openingOf({ id: 'b' }), openingOf({ id: 'c' })]));
      const all = await feedOf(store, 6);
      expect(all.map(({ fact }) => `${fact.handoff} ${fact.deed}`)).toEqual([
        'a create',
        'a accept',
        'a deliver',
        'a verify',
        'b create',
        'c create',
      ]);
    });

    it('without openings it is a change', async () => {
      const { store } = await open();
      const [held] = await putHeld(store, openingOf({ id: 'a' }));
      const { changed, inserted } = valueOf(await store.relay(held!, progressed, []));
      expect(changed.revision).toBe(3);
      expect(inserted).toEqual([]);
      await soundRecordOf(store, A);
    });

    it('I4: a refused opening leaves the target as it was, whichever it is', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a' }));
      const before = await everythingIn(store);
      const good = openingOf({ id: 'b' });
      const refusals = [
        { bad: openingOf({ id: 'a' }), code: 'known-id' },
        { bad: openingOf({ id: 'b' }), code: 'known-id' },
        { bad: openingOf({ id: 'c', dependsOn: ['c'] }), code: 'dependency-cycle' },
        { bad: { ...openingOf({ id: 'c' }), decide: () => refusingFirst }, code: 'too-many-hops' },
      ];
      for (const { bad, code } of refusals) {
        expect(refusalOf(await store.relay(A, deliverAndVerify(1), [good, bad])).code).toBe(code);
        expect(await everythingIn(store)).toEqual(before);
      }
      const broken = { ...good, decide: () => thrown() };
      await expect(store.relay(A, deliverAndVerify(1), [broken])).rejects.toBeInstanceOf(Thrown);
      expect(await everythingIn(store)).toEqual(before);
    });

    it('I4: a refused change opens nothing', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a' }));
      const before = await everythingIn(store);
      const next = openingOf({ id: 'b' });
      expect(refusalOf(await store.relay(A, refusing, [next])).code).toBe('not-overdue');
      expect(refusalOf(await store.relay(idOf('none'), cancelled, [next]))).toEqual({
        code: 'no-such-handoff',
        id: 'none',
      });
      await expect(store.relay(A, throwing, [next])).rejects.toBeInstanceOf(Thrown);
      expect(await everythingIn(store)).toEqual(before);
    });

    it('I6: a stale fence settles nothing and opens nothing', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a' }));
      await store.change([A], releaseBy(1));
      await store.claim(WORKER, 1, acceptBy());
      const before = await everythingIn(store);
      const late = await store.relay(A, deliverAndVerify(1), [openingOf({ id: 'b' })]);
      expect(refusalOf(late)).toMatchObject({ code: 'lease-lost', fence: 1, newest: 2 });
      expect(await everythingIn(store)).toEqual(before);
    });

    it('decides over the newest record, whatever the caller has in hand', async () => {
      const { store } = await open();
      const [old] = await put(store, openingOf({ id: 'a' }));
      await store.claim(WORKER, 1, acceptBy());
      const { changed } = valueOf(await store.relay(old!, failBy(1, 'OTHER'), [openingOf({ id: 'b' })]));
      expect(changed).toMatchObject({ state: 'failed', revision: 3 });
    });

    it('nothing passes to a session that has ended, and nothing follows from it', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      await store.sessions.end(SESSION, 0);
      const before = await everythingIn(store);
      expect(refusalOf(await store.relay(A, acceptBy(), [openingOf({ id: 'b' })])).code).toBe('lease-lost');
      expect(await everythingIn(store)).toEqual(before);
    });

    it('what follows sees the target as it has become', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a' }), openingOf({ id: 'open' }));
      const next = [openingOf({ id: 'b', dependsOn: ['a'] }), openingOf({ id: 'c', dependsOn: ['open'] })];
      const { inserted } = valueOf(await store.relay(A, deliverAndVerify(1), next));
      expect(inserted.map(({ state }) => state)).toEqual(['offered', 'blocked']);
      valueOf((await store.change([idOf('open')], deliverAndVerify(1)))[0]);
      expect((await store.find({ by: 'freed', max: 9 })).items.map(({ id }) => id)).toEqual(['c']);
    });

    it('the place that is given up is there for what follows', async () => {
      const { store } = await open(limitsOf({ sender: [1, null], worker: [null, 1] }));
      await putHeld(store, openingOf({ id: 'a' }));
      const next = openingOf({ id: 'b' });
      expect(refusalOf(await store.relay(A, progressed, [next])).code).toBe('limit-reached');
      valueOf(await store.relay(A, deliverAndVerify(1), [next]));
      expect(refusalOf(await store.insert([openingOf({ id: 'c' })]))).toEqual({
        code: 'limit-reached',
        agent: 'sender',
        direction: 'outgoing',
        count: 1,
        max: 1,
      });
      const two = [openingOf({ id: 'd' }), openingOf({ id: 'e', from: SENDER })];
      await store.claim(WORKER, 1, acceptBy());
      const before = await everythingIn(store);
      expect(refusalOf(await store.relay(idOf('b'), deliverAndVerify(1), two)).code).toBe('limit-reached');
      expect(await everythingIn(store)).toEqual(before);
    });

    it('I5: the same request answers the same records and changes nothing, also without openings', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a' }));
      const other = { request: { ...REQUEST, key: 'block-2' } };
      valueOf(await store.relay(A, progressed, [], other));
      const first = valueOf(await store.relay(A, deliverAndVerify(1), [openingOf({ id: 'b' })], { request: REQUEST }));
      const before = await everythingIn(store);
      const again = await store.relay(A, deliverAndVerify(1), [openingOf({ id: 'c' })], { request: REQUEST });
      expect(valueOf(again)).toEqual(first);
      expect(valueOf(await store.relay(idOf('b'), throwing, [], other))).toEqual({
        changed: first.changed,
        inserted: [],
      });
      const reused = await store.relay(A, throwing, [], { request: { ...REQUEST, hash: 'hash-2' } });
      expect(refusalOf(reused)).toEqual({ code: 'request-reused', key: 'block-1' });
      expect(await everythingIn(store)).toEqual(before);
    });

    it('what a request was answered with can be asked for, and nothing is kept of a refused one', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a' }));
      const asked = async (): Promise<readonly string[]> =>
        (await store.find({ by: 'request', request: REQUEST })).items.map(({ id }) => id);
      await store.relay(A, deliverAndVerify(1), [openingOf({ id: 'a' })], { request: REQUEST });
      expect(await asked()).toEqual([]);
      await store.relay(A, deliverAndVerify(1), [openingOf({ id: 'b' })], { request: REQUEST });
      expect(await asked()).toEqual(['a', 'b']);
      expect((await store.find({ by: 'request', request: { by: 'x', key: REQUEST.key } })).items).toEqual([]);
    });

    it('S4: a request that is kept for ever is answered after years', async () => {
      const { store, clock, controlsTime } = await open();
      await putHeld(store, openingOf({ id: 'a' }));
      const request = { ...REQUEST, forEver: true } as const;
      const made = valueOf(await store.insert([openingOf({ id: 'b' })], { request: { ...request, key: 'made' } }));
      const first = valueOf(await store.relay(A, deliverAndVerify(1), [], { request }));
      if (controlsTime) clock.advance(400 * REQUEST_DAYS * DAY_MS);
      await store.upkeep.maintain();
      const before = await everythingIn(store);
      expect(valueOf(await store.relay(A, throwing, [], { request }))).toEqual(first);
      expect(valueOf(await store.insert([openingOf({ id: 'c' })], { request: { ...request, key: 'made' } }))).toEqual(
        made,
      );
      expect(await everythingIn(store)).toEqual(before);
    });

    it('I1: of many that want the same record at once, each decides over the one before it', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a' }));
      const relays = Array.from({ length: 6 }, (_, n) => store.relay(A, progressed, [openingOf({ id: `n${n}` })]));
      const answers = await Promise.all([...relays, store.change([A], progressed)]);
      expect(answers.flat().every(({ ok }) => ok)).toBe(true);
      expect((await soundRecordOf(store, A)).revision).toBe(9);
      expect(await trailOf(store, idOf('n5'))).toHaveLength(1);
    });

    it('I5: of many with the same request at once, one is done', async () => {
      const { store, reopen } = await open();
      const other = reopen === null ? store : await reopen();
      await putHeld(store, openingOf({ id: 'a' }));
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          (n % 2 === 0 ? store : other).relay(A, progressed, [openingOf({ id: `n${n}` })], { request: REQUEST }),
        ),
      );
      const ids = answers.map((answer) =>
        valueOf(answer)
          .inserted.map(({ id }) => id)
          .join(),
      );
      expect(new Set(ids).size).toBe(1);
      expect(await recordOf(store, A)).toMatchObject({ revision: 3 });
    });
  });
}

const refusingFirst = {
  ok: false,
  refusal: { code: 'too-many-hops', id: A, hops: 17, max: 16 },
} as const;

function thrown(): never {
  throw new Thrown('this decision throws');
}
