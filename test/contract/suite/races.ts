/** Many callers in one process want the same thing at once. */
import { describe, expect, it } from 'vitest';
import { NO_LIMITS } from '../../../src/domain/limits.ts';
import type { HandoffId } from '../../../src/domain/names.ts';
import {
  acceptBy,
  cancelled,
  deliverAndVerify,
  idOf,
  limitsOf,
  openingOf,
  openingsOf,
  progressed,
  releaseBy,
  sessionOf,
  unblocked,
  WORKER,
} from '../builders.ts';
import { put, putHeld, recordOf, refusalOf, soundRecordOf, valueOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

const SESSIONS = ['one', 'two', 'three', 'four', 'five'].map(sessionOf);

async function times<Value>(count: number, work: (index: number) => Promise<Value>): Promise<readonly Value[]> {
  return Promise.all(Array.from({ length: count }, async (_, index) => work(index)));
}

export function describeRaces(open: OpenStore): void {
  describe('races in one process', () => {
    it('I6: fifty claims of one record have one winner', async () => {
      const { store } = await open(NO_LIMITS, SESSIONS);
      await put(store, openingOf({ id: 'a' }));
      const claims = await times(50, async (index) =>
        store.claim(WORKER, 1, acceptBy(SESSIONS[index % SESSIONS.length])),
      );
      const won = claims.flat();
      expect(won).toHaveLength(1);
      expect(await soundRecordOf(store, idOf('a'))).toEqual(won[0]?.handoff);
      expect(won[0]?.handoff).toMatchObject({ revision: 2, fence: 1, attempt: 1 });
    });

    it('a hundred records claimed by twenty workers are each given out once', async () => {
      const { store } = await open(NO_LIMITS, SESSIONS);
      await put(store, ...openingsOf(100, 'a'));
      const claims = await times(20, async (index) =>
        store.claim(WORKER, 10, acceptBy(SESSIONS[index % SESSIONS.length])),
      );
      const ids = claims.flat().map((each) => each.handoff.id);
      expect(new Set(ids).size).toBe(ids.length);
      // Whoever skipped what another was just taking finds it gone the next time, not lost.
      ids.push(...(await store.claim(WORKER, 100, acceptBy(SESSIONS[0]))).map((each) => each.handoff.id));
      expect(new Set(ids).size).toBe(100);
      expect(ids).toHaveLength(100);
    });

    it('D5, I15: fifty senders race for the last place, one wins', async () => {
      const { store } = await open(limitsOf({ worker: [null, 3] }));
      await put(store, ...openingsOf(2, 'there'));
      const answers = await times(50, async (index) => store.insert([openingOf({ id: `a-${index}` })]));
      expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
      for (const answer of answers.filter((each) => !each.ok)) {
        expect(refusalOf(answer)).toEqual({
          code: 'limit-reached',
          agent: 'worker',
          direction: 'incoming',
          count: 3,
          max: 3,
        });
      }
      expect((await store.find({ by: 'filter', to: WORKER, max: 100 })).items).toHaveLength(3);
    });

    it('D5, I15: senders and those that wait in line race for the last place, one wins', async () => {
      const { store } = await open(limitsOf({ worker: [null, 1] }));
      await put(store, ...openingsOf(10, 'queued', { queued: true }));
      const answers = await times(20, async (index) =>
        index % 2 === 0
          ? store.insert([openingOf({ id: `a-${index}` })])
          : (await store.change([idOf(`queued-${(index - 1) / 2}`)], unblocked))[0]!,
      );
      expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
      expect((await store.find({ by: 'filter', states: ['offered'], max: 100 })).items).toHaveLength(1);
    });

    it('fifty inserts of one id make one record', async () => {
      const { store } = await open();
      const answers = await times(50, async () => store.insert([openingOf({ id: 'a' })]));
      expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
      for (const answer of answers.filter((each) => !each.ok))
        expect(refusalOf(answer)).toEqual({ code: 'known-id', id: 'a' });
      expect(await soundRecordOf(store, idOf('a'))).toMatchObject({ revision: 1 });
    });

    it('I1: two hundred changes of one record come one after the other', async () => {
      const { store } = await open();
      await putHeld(store, openingOf({ id: 'a' }));
      const answers = await times(200, async () => store.change([idOf('a')], progressed));
      const revisions = answers.map((answer) => valueOf(answer[0]).revision);
      expect(revisions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 3));
      expect(await soundRecordOf(store, idOf('a'))).toMatchObject({ revision: 202 });
    });

    it('I1: changes of many records in many orders neither wait for each other for ever nor lose one', async () => {
      const { store } = await open();
      const ids: readonly HandoffId[] = openingsOf(8, 'a').map((opening) => opening.id);
      await putHeld(store, ...openingsOf(8, 'a'));
      const orders = [ids, ids.toReversed(), [...ids.slice(4), ...ids.slice(0, 4)]];
      const answers = await times(30, async (index) => store.change(orders[index % 3]!, progressed));
      expect(answers.flat().filter((answer) => !answer.ok)).toEqual([]);
      for (const id of ids) expect(await soundRecordOf(store, id)).toMatchObject({ revision: 32 });
    });

    it('I2: of fifty that settle one record, one does', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      await store.claim(WORKER, 1, acceptBy());
      const answers = await times(50, async (index) =>
        store.change([idOf('a')], index % 2 === 0 ? deliverAndVerify(1) : cancelled),
      );
      expect(answers.flat().filter((answer) => answer.ok)).toHaveLength(1);
      await soundRecordOf(store, idOf('a'));
    });

    it('I6: no fence is given out twice, however often a record is taken and given back', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      const fences: number[] = [];
      await times(20, async () => {
        for (let round = 0; round < 10; round += 1) {
          const [claimed] = await store.claim(WORKER, 1, acceptBy());
          if (claimed === undefined) continue;
          fences.push(claimed.handoff.fence);
          valueOf((await store.change([claimed.handoff], releaseBy(claimed.handoff.fence)))[0]);
        }
      });
      expect(fences.length).toBeGreaterThan(0);
      expect(fences.toSorted((a, b) => a - b)).toEqual(Array.from({ length: fences.length }, (_, index) => index + 1));
      expect(await recordOf(store, idOf('a'))).toMatchObject({ fence: fences.length, attempt: fences.length });
      await soundRecordOf(store, idOf('a'));
    });
  });
}
