/** Taking work: the best first, only what is ready, only one's own. */
import { describe, expect, it } from 'vitest';
import type { Decide } from '../../../src/domain/decision.ts';
import { HEAD_START_MS, PRIORITIES } from '../../../src/domain/priority.ts';
import { CLAIM_MAX } from '../../../src/stores/store.ts';
import {
  acceptBy,
  agentOf,
  FAR_AHEAD,
  failBy,
  idOf,
  jsonOf,
  LONG_AGO,
  offered,
  openingOf,
  openingsOf,
  refusing,
  releaseBy,
  SESSION,
  Thrown,
  throwing,
  unblocked,
  WORKER,
} from '../builders.ts';
import { everythingIn, put, recordOf, soundRecordOf, valueOf, wholeOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

export function describeClaim(open: OpenStore): void {
  describe('claim', () => {
    it('answers the record after the change, with its body', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', body: jsonOf({ task: 'paint' }) }));
      const [claimed] = await store.claim(WORKER, 1, acceptBy());
      expect(claimed?.body).toBe('{"task":"paint"}');
      expect(claimed?.handoff).toEqual(await soundRecordOf(store, idOf('a')));
      expect(claimed?.handoff).toMatchObject({
        state: 'accepted',
        revision: 2,
        attempt: 1,
        fence: 1,
        custody: { by: 'process', holder: WORKER, session: SESSION },
      });
    });

    it('gives nobody the work of another, and nothing where there is nothing', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', to: agentOf('other') }));
      expect(await store.claim(WORKER, 10, acceptBy())).toEqual([]);
      expect(await store.claim(agentOf('nobody'), 10, acceptBy())).toEqual([]);
    });

    it('takes only what is on offer', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'draft', as: 'draft' }), openingOf({ id: 'waits', dependsOn: ['unknown'] }));
      await put(store, openingOf({ id: 'open' }));
      const claimed = await store.claim(WORKER, 10, acceptBy());
      expect(claimed.map((each) => each.handoff.id)).toEqual(['open']);
      expect(await store.claim(WORKER, 10, acceptBy())).toEqual([]);
      await store.change([idOf('draft')], offered);
      await store.change([idOf('waits')], unblocked);
      expect(await store.claim(WORKER, 10, acceptBy())).toHaveLength(2);
    });

    it('I13: nothing is taken before its time', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'later', notBefore: FAR_AHEAD }), openingOf({ id: 'now', notBefore: LONG_AGO }));
      expect((await store.claim(WORKER, 10, acceptBy())).map((each) => each.handoff.id)).toEqual(['now']);
    });

    it('I13: what is to come later takes up no room in a claim', async () => {
      const { store } = await open();
      const but = { offeredAt: LONG_AGO };
      await put(store, ...openingsOf(3, 'later', { priority: 'urgent', notBefore: FAR_AHEAD, but }));
      await put(store, openingOf({ id: 'now' }));
      expect((await store.claim(WORKER, 1, acceptBy())).map((each) => each.handoff.id)).toEqual(['now']);
    });

    it('I13: what was to come later is taken when its time has come', async ({ skip }) => {
      const { store, clock, controlsTime } = await open();
      // The moment itself can only be shown with a clock in our hands.
      skip(!controlsTime, 'the store has its own clock');
      await put(store, openingOf({ id: 'a', notBefore: clock.nowMs() + 1000 }));
      clock.advance(999);
      expect(await store.claim(WORKER, 1, acceptBy())).toEqual([]);
      clock.advance(1);
      expect(await store.claim(WORKER, 1, acceptBy())).toHaveLength(1);
    });

    it('Q12: the more urgent goes first, equal ones in order of arrival', async () => {
      const { store } = await open();
      const but = { offeredAt: LONG_AGO };
      for (const priority of PRIORITIES.toReversed()) {
        await put(
          store,
          openingOf({ id: `${priority}-1`, priority, but }),
          openingOf({ id: `${priority}-2`, priority, but }),
        );
      }
      const claimed = await store.claim(WORKER, 10, acceptBy());
      expect(claimed.map((each) => each.handoff.id)).toEqual(
        PRIORITIES.flatMap((priority) => [`${priority}-1`, `${priority}-2`]),
      );
    });

    it('Q12: age makes up for urgency, so nothing waits for ever', async () => {
      const { store } = await open();
      const at = LONG_AGO + HEAD_START_MS.urgent;
      await put(store, openingOf({ id: 'urgent', priority: 'urgent', but: { offeredAt: at } }));
      await put(store, openingOf({ id: 'older', priority: 'low', but: { offeredAt: LONG_AGO - 1 } }));
      await put(store, openingOf({ id: 'younger', priority: 'low', but: { offeredAt: LONG_AGO + 1 } }));
      const claimed = await store.claim(WORKER, 10, acceptBy());
      expect(claimed.map((each) => each.handoff.id)).toEqual(['older', 'urgent', 'younger']);
    });

    it('Q12: what is given back is first again', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'first' }), openingOf({ id: 'second' }));
      await store.claim(WORKER, 1, acceptBy());
      await store.change([idOf('first')], releaseBy(1));
      const [again] = await store.claim(WORKER, 1, acceptBy());
      expect(again?.handoff).toMatchObject({ id: 'first', fence: 2, attempt: 2, excused: 1 });
    });

    it('I13: what failed comes back later, not at once', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      await store.claim(WORKER, 1, acceptBy());
      const failed = valueOf((await store.change([idOf('a')], failBy(1, 'PROCESSING_ERROR')))[0]);
      expect(failed).toMatchObject({ state: 'offered', attempt: 1, notBefore: failed.since + 30_000 });
      expect(await store.claim(WORKER, 1, acceptBy())).toEqual([]);
    });

    it('takes no more than was asked for', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(5, 'a', { but: { offeredAt: LONG_AGO } }));
      expect(await store.claim(WORKER, 0, acceptBy())).toEqual([]);
      expect((await store.claim(WORKER, 2, acceptBy())).map((each) => each.handoff.id)).toEqual(['a-0', 'a-1']);
      expect(await store.claim(WORKER, 100, acceptBy())).toHaveLength(3);
    });

    it('never takes more than the largest claim', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(CLAIM_MAX + 5, 'a'));
      expect(await store.claim(WORKER, CLAIM_MAX + 5, acceptBy())).toHaveLength(CLAIM_MAX);
      expect(await store.claim(WORKER, CLAIM_MAX + 5, acceptBy())).toHaveLength(5);
    });

    it('I4: a decision that refuses leaves that one, and the others are taken', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(3, 'a', { but: { offeredAt: LONG_AGO } }));
      const picky: Decide = (handoff, nowMs) => (handoff.id === 'a-1' ? refusing : acceptBy())(handoff, nowMs);
      expect((await store.claim(WORKER, 10, picky)).map((each) => each.handoff.id)).toEqual(['a-0', 'a-2']);
      expect(await soundRecordOf(store, idOf('a-1'))).toMatchObject({ state: 'offered', revision: 1 });
    });

    it('I4: a decision that throws takes nothing', async () => {
      const { store } = await open();
      await put(store, ...openingsOf(3, 'a', { but: { offeredAt: LONG_AGO } }));
      const before = await everythingIn(store);
      const brittle: Decide = (handoff, nowMs) => (handoff.id === 'a-2' ? throwing : acceptBy())(handoff, nowMs);
      await expect(store.claim(WORKER, 10, brittle)).rejects.toThrow(Thrown);
      expect(await everythingIn(store)).toEqual(before);
    });

    it('I6: each acceptance has a higher fence', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      for (let round = 1; round <= 5; round += 1) {
        const [claimed] = await store.claim(WORKER, 1, acceptBy());
        expect(claimed?.handoff.fence).toBe(round);
        valueOf((await store.change([idOf('a')], releaseBy(round)))[0]);
      }
      expect(await recordOf(store, idOf('a'))).toMatchObject({ state: 'offered', fence: 5, attempt: 5 });
    });

    it('a worker may give an attempt another time than the terms, and that one counts', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }), openingOf({ id: 'b' }));
      const untilAt = store.nowMs() + 7_200_000;
      const [long] = await store.claim(WORKER, 1, acceptBy(SESSION, untilAt));
      const [usual] = await store.claim(WORKER, 1, acceptBy());
      expect(long?.handoff.custody).toEqual({ by: 'process', holder: WORKER, session: SESSION, untilAt });
      expect((await store.load(idOf('a')))?.handoff.custody).toEqual(long?.handoff.custody);
      expect((await store.load(idOf('b')))?.handoff.custody).toEqual({
        by: 'process',
        holder: WORKER,
        session: SESSION,
      });
      expect(usual?.handoff.custody).not.toHaveProperty('untilAt');
    });

    it('keeps bodies and outcomes apart while records move', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a', body: jsonOf('a') }), openingOf({ id: 'b', body: jsonOf('b') }));
      await store.claim(WORKER, 2, acceptBy());
      expect(await wholeOf(store, idOf('a'))).toMatchObject({ body: '"a"', outcome: null });
      expect(await wholeOf(store, idOf('b'))).toMatchObject({ body: '"b"', outcome: null });
    });
  });
}
