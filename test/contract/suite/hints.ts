/** Hints: whoever waits is woken soon, and never waits for ever. */
import { describe, expect, it } from 'vitest';
import type { Decide } from '../../../src/domain/decision.ts';
import { POLL_MS, type Claimed, type Store, type Topic } from '../../../src/stores/store.ts';
import {
  acceptBy,
  asking,
  cancelled,
  deliverAndVerify,
  idOf,
  openingOf,
  releaseBy,
  unblocked,
  WORKER,
} from '../builders.ts';
import { put, valueOf } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

export const OFFERS: Topic = { kind: 'offers', agent: WORKER };
export const SETTLED: Topic = { kind: 'settled' };

const ROUNDS = 15;

/**
 * How long a waiter still waits after the change was acknowledged, at best. A lost hint costs POLL_MS, so half of it
 * tells hints from polling, and the best of many forgives a busy machine all others.
 */
export async function bestDelayMs(
  store: Store,
  topic: Topic,
  change: (round: number) => Promise<unknown>,
): Promise<number> {
  const delays: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const woken = store.changed(topic, new AbortController().signal);
    await store.load(idOf('what-the-waiter-looks-at'));
    await change(round);
    const acknowledgedAt = performance.now();
    await woken;
    delays.push(performance.now() - acknowledgedAt);
  }
  return Math.min(...delays);
}

async function changeNow(store: Store, id: string, decide: Decide): Promise<void> {
  valueOf((await store.change([idOf(id)], decide))[0]);
}

export function describeHints(open: OpenStore): void {
  describe('changed', () => {
    it('I18: wakes the waiter for offers when something is inserted for its agent', async () => {
      const { store } = await open();
      const delay = await bestDelayMs(store, OFFERS, async (round) => put(store, openingOf({ id: `a-${round}` })));
      expect(delay).toBeLessThan(POLL_MS / 2);
    });

    it('I18: wakes the waiter for offers when something is offered again', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      const delay = await bestDelayMs(store, OFFERS, async (round) => {
        await store.claim(WORKER, 1, acceptBy());
        if (round % 2 === 0) return changeNow(store, 'a', releaseBy(round + 1));
        await changeNow(store, 'a', asking('which colour?', round + 1));
        return changeNow(store, 'a', unblocked);
      });
      expect(delay).toBeLessThan(POLL_MS / 2);
    });

    it('I18: wakes the waiter for settled ones when one is completed or ends otherwise', async () => {
      const { store } = await open();
      const delay = await bestDelayMs(store, SETTLED, async (round) => {
        await put(store, openingOf({ id: `a-${round}` }));
        if (round % 2 === 0) return changeNow(store, `a-${round}`, cancelled);
        await changeNow(store, `a-${round}`, acceptBy());
        return changeNow(store, `a-${round}`, deliverAndVerify(1));
      });
      expect(delay).toBeLessThan(POLL_MS / 2);
    });

    it('I18: wakes every waiter of the topic', async () => {
      const { store } = await open();
      const signal = new AbortController().signal;
      const waiters = Array.from({ length: 20 }, async () => store.changed(OFFERS, signal));
      await put(store, openingOf({ id: 'a' }));
      await expect(Promise.all(waiters)).resolves.toHaveLength(20);
    });

    it('I18, I13: wakes the waiter when the time has come for what was to come later', async () => {
      const { store, clock } = await open();
      await put(store, openingOf({ id: 'a', notBefore: store.nowMs() + 500 }));
      const claims: Claimed[] = [];
      while (claims.length === 0) {
        const woken = store.changed(OFFERS, new AbortController().signal);
        claims.push(...(await store.claim(WORKER, 1, acceptBy())));
        // A store with a clock of its own passes the time without us.
        clock.advance(500);
        if (claims.length === 0) await woken;
      }
      expect(claims.map(({ handoff }) => handoff.id)).toEqual(['a']);
    });

    it('ends at once when the waiter no longer wants to wait', async () => {
      const { store } = await open();
      await store.changed(OFFERS, AbortSignal.abort());
      const giveUp = new AbortController();
      const waiting = store.changed(OFFERS, giveUp.signal);
      giveUp.abort();
      await expect(waiting).resolves.toBeUndefined();
    });

    it('ends when the store is closed, and at once afterwards', async () => {
      const { store } = await open();
      const waiting = store.changed(SETTLED, new AbortController().signal);
      await store.close();
      await expect(waiting).resolves.toBeUndefined();
      await expect(store.changed(SETTLED, new AbortController().signal)).resolves.toBeUndefined();
    });
  });
}
