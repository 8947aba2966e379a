/** Worker sessions: who is there, who has fallen silent, who still holds something. */
import { describe, expect, it } from 'vitest';
import { SESSION_LEASE_MS } from '../../../src/domain/deadlines.ts';
import { BrokenAssumption } from '../../../src/foundation/assert.ts';
import { NO_LIMITS } from '../../../src/domain/limits.ts';
import type { RunningGroup, SessionRecord, Store } from '../../../src/stores/store.ts';
import {
  acceptBy,
  deliverAndVerify,
  idOf,
  openingOf,
  processOf,
  progressed,
  releaseBy,
  sessionOf,
  WORKER,
} from '../builders.ts';
import { put, refusalOf, soundRecordOf, valueOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

const [MINE, OTHER] = [sessionOf('mine'), sessionOf('other')];
/** No store under test is older than this. */
const LONG_MS = 60 * 60_000;

async function openSession(store: Store, id = MINE): Promise<void> {
  await store.sessions.open({ id, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
}

async function listed(store: Store): Promise<ReadonlyMap<string, SessionRecord>> {
  return new Map((await store.sessions.list()).map((session) => [session.id, session]));
}

export function describeSessions(open: OpenStore): void {
  describe('sessions', () => {
    it('an open session is listed as it was opened', async () => {
      const { store } = await open(NO_LIMITS, []);
      await openSession(store);
      const process = processOf({ host: 'näxt "host"', boot: "b'oot", pid: 2 ** 31 - 1, startedAt: '9'.repeat(20) });
      await store.sessions.open({ id: OTHER, agent: WORKER, process, leaseMs: 60_000 });
      const sessions = await listed(store);
      expect(sessions.get(MINE)).toEqual({
        id: MINE,
        agent: WORKER,
        process: processOf(),
        groups: [],
        leaseMs: SESSION_LEASE_MS,
        silentForMs: expect.any(Number) as unknown,
        ended: false,
      });
      expect(sessions.get(OTHER)?.process).toEqual(process);
      expect(sessions.get(OTHER)?.leaseMs).toBe(60_000);
      expect(sessions.get(MINE)?.silentForMs).toBeGreaterThanOrEqual(0);
      expect(sessions.get(MINE)?.silentForMs).toBeLessThan(LONG_MS);
    });

    it('opening it again is a sign of life and nothing else', async () => {
      const { store } = await open(NO_LIMITS, []);
      await openSession(store);
      await openSession(store);
      expect(await store.sessions.list()).toHaveLength(1);
      await store.sessions.end(MINE, 0);
      await openSession(store);
      expect(await store.sessions.beat(MINE)).toBe(false);
    });

    it('the commands it runs are kept, and replaced by the next ones', async () => {
      const { store } = await open(NO_LIMITS, []);
      await openSession(store);
      const groups: RunningGroup[] = [
        { handoff: idOf('a'), group: 4712, startedAt: '1001' },
        { handoff: idOf('b'), group: 4713, startedAt: '1002' },
      ];
      await store.sessions.running(MINE, groups);
      expect((await listed(store)).get(MINE)?.groups).toEqual(groups);
      await store.sessions.running(MINE, groups.slice(1));
      expect((await listed(store)).get(MINE)?.groups).toEqual(groups.slice(1));
      await store.sessions.running(MINE, []);
      expect((await listed(store)).get(MINE)?.groups).toEqual([]);
    });

    it('I14: a session that is not silent for long enough is not ended', async () => {
      const { store } = await open(NO_LIMITS, []);
      await openSession(store);
      expect(await store.sessions.end(MINE, LONG_MS)).toBe(false);
      expect(await store.sessions.beat(MINE)).toBe(true);
      expect((await listed(store)).get(MINE)?.ended).toBe(false);
    });

    it('I14: an ended session beats in vain', async () => {
      const { store } = await open(NO_LIMITS, []);
      await openSession(store);
      expect(await store.sessions.end(MINE, 0)).toBe(true);
      expect(await store.sessions.beat(MINE)).toBe(false);
      expect(await store.sessions.end(MINE, LONG_MS)).toBe(true);
    });

    it('a session that nobody opened beats in vain and is as good as ended', async () => {
      const { store } = await open(NO_LIMITS, []);
      expect(await store.sessions.beat(MINE)).toBe(false);
      expect(await store.sessions.end(MINE, LONG_MS)).toBe(true);
      await store.sessions.running(MINE, []);
      await store.sessions.forget(MINE);
      expect(await store.sessions.list()).toEqual([]);
    });

    it('I14: an ended session is listed for as long as it holds something', async () => {
      const { store } = await open(NO_LIMITS, []);
      await openSession(store);
      await openSession(store, OTHER);
      await put(store, openingOf({ id: 'a' }));
      await store.claim(WORKER, 1, acceptBy(MINE));
      await store.sessions.end(MINE, 0);
      await store.sessions.end(OTHER, 0);
      expect([...(await listed(store)).values()].map(({ id, ended }) => [id, ended])).toEqual([[MINE, true]]);
      valueOf((await store.change([idOf('a')], releaseBy(1)))[0]);
      expect(await store.sessions.list()).toEqual([]);
    });

    it('an ended session that holds nothing can be forgotten', async () => {
      const { store } = await open(NO_LIMITS, []);
      await openSession(store);
      await store.sessions.end(MINE, 0);
      await store.sessions.forget(MINE);
      expect(await store.sessions.list()).toEqual([]);
      expect(await store.sessions.beat(MINE)).toBe(false);
    });

    it('a session that holds something, or that lives, is not forgotten', async () => {
      const { store } = await open(NO_LIMITS, []);
      await openSession(store);
      await openSession(store, OTHER);
      await put(store, openingOf({ id: 'a' }));
      await store.claim(WORKER, 1, acceptBy(MINE));
      await store.sessions.end(MINE, 0);
      await expect(store.sessions.forget(MINE)).rejects.toThrow(BrokenAssumption);
      await store.sessions.forget(OTHER);
      expect([...(await listed(store)).keys()].toSorted()).toEqual([MINE, OTHER]);
      expect(await store.sessions.beat(OTHER)).toBe(true);
    });

    it('I14, I19: silence is measured from the last beat, and the wall clock has no part in it', async ({ skip }) => {
      const { store, clock, controlsTime } = await open(NO_LIMITS, []);
      // How long a silence is can only be said exactly with a clock in our hands.
      skip(!controlsTime, 'the store has its own clock');
      await openSession(store);
      clock.advance(5000);
      clock.turn(24 * LONG_MS);
      expect((await listed(store)).get(MINE)?.silentForMs).toBe(5000);
      clock.turn(-48 * LONG_MS);
      expect(await store.sessions.end(MINE, 5001)).toBe(false);
      expect(await store.sessions.beat(MINE)).toBe(true);
      expect((await listed(store)).get(MINE)?.silentForMs).toBe(0);
      clock.advance(5000);
      expect(await store.sessions.end(MINE, 5000)).toBe(true);
    });

    it('I14: a session that has ended, or that nobody knows, takes nothing: nobody would give it back', async () => {
      const { store } = await open(NO_LIMITS, []);
      await openSession(store);
      await put(store, openingOf({ id: 'a' }));
      await store.sessions.end(MINE, 0);
      for (const gone of [MINE, OTHER]) {
        expect(await store.claim(WORKER, 1, acceptBy(gone))).toEqual([]);
        const answer = (await store.change([idOf('a')], acceptBy(gone)))[0];
        expect(refusalOf(answer)).toEqual({ code: 'lease-lost', id: 'a', fence: null, state: 'offered', newest: 0 });
      }
      expect(await soundRecordOf(store, idOf('a'))).toMatchObject({ state: 'offered', revision: 1, fence: 0 });
    });

    it('I14: a session that has ended may still settle what nobody has taken from it', async () => {
      const { store } = await open(NO_LIMITS, []);
      await openSession(store);
      await put(store, openingOf({ id: 'a' }));
      await store.claim(WORKER, 1, acceptBy(MINE));
      await store.sessions.end(MINE, 0);
      valueOf((await store.change([idOf('a')], progressed))[0]);
      expect(valueOf((await store.change([idOf('a')], deliverAndVerify(1)))[0]).state).toBe('completed');
    });

    it('beats leave no facts', async () => {
      const { store } = await open(NO_LIMITS, []);
      await openSession(store);
      for (let round = 0; round < 5; round += 1) await store.sessions.beat(MINE);
      expect(await store.facts({ max: 10 })).toEqual([]);
    });
  });
}
