/** Changing records: one answer per target, decided over the newest record. */
import { describe, expect, it } from 'vitest';
import { ok } from '../../../src/foundation/result.ts';
import type { Decide } from '../../../src/domain/decision.ts';
import { supersede } from '../../../src/domain/moves/supersede.ts';
import {
  acceptBy,
  cancelled,
  deciding,
  deliverAndVerify,
  failBy,
  idOf,
  jsonOf,
  limitsOf,
  openingOf,
  openingsOf,
  progressed,
  refusing,
  releaseBy,
  renewUntil,
  acceptByHand,
  FAR_AHEAD,
  Thrown,
  throwing,
  WORKER,
} from '../builders.ts';
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

export function describeChange(open: OpenStore): void {
  describe('change', () => {
    it('writes record, facts and outcome together', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', body: jsonOf('in') }));
      await store.claim(WORKER, 1, acceptBy());
      const answers = await store.change([idOf('a')], deliverAndVerify(1, { outcome: jsonOf('out') }));
      const handoff = valueOf(answers[0]);
      expect(handoff).toMatchObject({ state: 'completed', revision: 4, custody: null });
      expect(await wholeOf(store, idOf('a'))).toEqual({ handoff, body: '"in"', outcome: '"out"' });
      expect((await trailOf(store, idOf('a'))).map((fact) => fact.deed)).toEqual([
        'create',
        'accept',
        'deliver',
        'verify',
      ]);
      expect(await soundRecordOf(store, idOf('a'))).toEqual(handoff);
    });

    it('D17: a document goes on after its end where the shared history says so, whether there is room or not', async () => {
      const { store } = await open(limitsOf({ worker: [null, 1] }));
      await put(store, openingOf({ id: 'one', kind: 'document' }));
      await store.change([idOf('one')], cancelled);
      await put(store, openingOf({ id: 'two', kind: 'document' }));
      const overruled = deciding('supersede', (handoff, nowMs) => supersede(handoff, 'accepted', nowMs));
      expect(refusalOf((await store.change([idOf('one')], overruled))[0])).toMatchObject({ code: 'limit-reached' });
      const over: Decide = (handoff, nowMs) => {
        const decided = overruled(handoff, nowMs);
        return decided.ok ? ok({ ...decided.value, overLimits: true }) : decided;
      };
      const handoff = valueOf((await store.change([idOf('one')], over))[0]);
      expect(handoff).toMatchObject({ state: 'accepted', revision: 3, attempt: 1, custody: { holder: WORKER } });
      expect((await trailOf(store, idOf('one'))).map((fact) => fact.deed)).toEqual(['create', 'cancel', 'supersede']);
      expect(await recordOf(store, idOf('one'))).toEqual(handoff);
      expect((await store.upkeep.audit()).filter((finding) => finding.handoff !== null)).toEqual([]);
    });

    it('an outcome stays until there is another one', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      await store.change([idOf('a')], acceptBy());
      await store.change([idOf('a')], failBy(1, 'PROCESSING_ERROR', { outcome: jsonOf({ code: 'PROCESSING_ERROR' }) }));
      expect((await wholeOf(store, idOf('a'))).outcome).toBe('{"code":"PROCESSING_ERROR"}');
      await store.change([idOf('a')], cancelled);
      expect(await wholeOf(store, idOf('a'))).toMatchObject({
        handoff: { state: 'cancelled' },
        outcome: '{"code":"PROCESSING_ERROR"}',
      });
    });

    it('answers each target in order, refused or not', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(3, 'a'));
      const picky: Decide = (handoff, nowMs) => (handoff.id === 'a-1' ? refusing : cancelled)(handoff, nowMs);
      const answers = await store.change([idOf('a-2'), idOf('unknown'), idOf('a-1'), idOf('a-0')], picky);
      expect(answers.map((answer) => (answer.ok ? answer.value.id : answer.refusal))).toEqual([
        'a-2',
        { code: 'no-such-handoff', id: 'unknown' },
        { code: 'not-overdue', id: 'a-1' },
        'a-0',
      ]);
      expect(await recordOf(store, idOf('a-1'))).toMatchObject({ state: 'offered', revision: 1 });
    });

    it('does nothing for nothing', async () => {
      const { store } = await open();
      expect(await store.change([], throwing)).toEqual([]);
    });

    it('decides over the newest record, whatever the caller has in hand', async () => {
      const { store } = await open();
      const [old] = await put(store, openingOf({ id: 'a' }));
      const accepted = valueOf((await store.change([old!], acceptBy()))[0]);
      expect(accepted.state).toBe('accepted');
      const answer = (await store.change([old!], deliverAndVerify(1)))[0];
      expect(valueOf(answer)).toMatchObject({ state: 'completed', revision: 4 });
      await soundRecordOf(store, idOf('a'));
    });

    it('a record in hand that was never stored is unknown', async () => {
      const { store } = await open();
      const [made] = await put(store, openingOf({ id: 'a' }));
      const answers = await store.change([{ ...made!, id: idOf('b') }], cancelled);
      expect(refusalOf(answers[0])).toEqual({ code: 'no-such-handoff', id: 'b' });
    });

    it('I1: the same record twice in one call is decided twice, the second over the first', async () => {
      const { store } = await open();
      const [held] = await putHeld(store, openingOf({ id: 'a' }));
      const answers = await store.change([idOf('a'), held!, idOf('a')], progressed);
      expect(answers.map((answer) => valueOf(answer).revision)).toEqual([3, 4, 5]);
      expect(await soundRecordOf(store, idOf('a'))).toMatchObject({ revision: 5 });
    });

    it('I4: the second decision of a call may refuse what the first has left', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      const answers = await store.change([idOf('a'), idOf('a')], cancelled);
      expect(valueOf(answers[0]).state).toBe('cancelled');
      expect(refusalOf(answers[1])).toEqual({ code: 'move-not-allowed', id: 'a', state: 'cancelled', move: 'cancel' });
      expect(await soundRecordOf(store, idOf('a'))).toMatchObject({ revision: 2 });
    });

    it('I4: a refusal changed nothing', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', effects: [{ key: 'k', kind: 'notify', payload: jsonOf(1) }] }));
      const before = await everythingIn(store);
      for (let round = 0; round < 3; round += 1) await store.change([idOf('a')], refusing);
      expect(await everythingIn(store)).toEqual(before);
    });

    it('I4: a decision that throws writes nothing of its call, and no other call notices', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(4, 'a'));
      const brittle: Decide = (handoff, nowMs) => (handoff.id === 'a-1' ? throwing : cancelled)(handoff, nowMs);
      const [first, bad, last] = await Promise.allSettled([
        store.change([idOf('a-2')], cancelled),
        store.change([idOf('a-0'), idOf('a-1')], brittle),
        store.change([idOf('a-3')], cancelled),
      ]);
      expect(bad).toMatchObject({ status: 'rejected', reason: expect.any(Thrown) as unknown });
      expect([first.status, last.status]).toEqual(['fulfilled', 'fulfilled']);
      const states = await Promise.all([0, 1, 2, 3].map(async (index) => soundRecordOf(store, idOf(`a-${index}`))));
      expect(states.map((handoff) => handoff.state)).toEqual(['offered', 'offered', 'cancelled', 'cancelled']);
    });

    it('I6: a stale fence changes nothing', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      await store.claim(WORKER, 1, acceptBy());
      await store.change([idOf('a')], releaseBy(1));
      await store.claim(WORKER, 1, acceptBy());
      const before = await everythingIn(store);
      for (const decide of [deliverAndVerify(1, { outcome: jsonOf('late') }), failBy(1, 'TIMEOUT'), releaseBy(1)]) {
        const answer = (await store.change([idOf('a')], decide))[0];
        expect(refusalOf(answer)).toEqual({ code: 'lease-lost', id: 'a', fence: 1, state: 'accepted', newest: 2 });
      }
      expect(await everythingIn(store)).toEqual(before);
      expect(valueOf((await store.change([idOf('a')], deliverAndVerify(2)))[0]).state).toBe('completed');
    });

    it('I2: what is final stays as it is', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      await store.change([idOf('a')], cancelled);
      const before = await everythingIn(store);
      for (const decide of [cancelled, acceptBy(), failBy(null, 'TIMEOUT')]) {
        expect(refusalOf((await store.change([idOf('a')], decide))[0])).toMatchObject({ code: 'move-not-allowed' });
      }
      expect(await everythingIn(store)).toEqual(before);
    });

    it('I1: deeds that leave the state as it is have their revision and fact too', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      await store.change([idOf('a')], acceptByHand(1));
      const renewed = valueOf((await store.change([idOf('a')], renewUntil(FAR_AHEAD, 1)))[0]);
      expect(renewed).toMatchObject({ state: 'accepted', revision: 3, custody: { by: 'hand', untilAt: FAR_AHEAD } });
      expect(await soundRecordOf(store, idOf('a'))).toEqual(renewed);
      expect((await trailOf(store, idOf('a'))).at(-1)).toMatchObject({
        deed: 'renew',
        from: 'accepted',
        to: 'accepted',
      });
    });
  });
}
