import { describe, expect, it } from 'vitest';
import { systemTimers, type Timers } from '../../src/foundation/clock.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { openMemoryStore } from '../../src/stores/memory/memory-store.ts';
import { POLL_MS, type Store, type Topic } from '../../src/stores/store.ts';
import { acceptByHand, agentOf, asking, cancelled, idOf, openingOf, refusing, WORKER } from './builders.ts';
import { put } from './store-checks.ts';
import { manualClock } from './manual-clock.ts';
import { describeStore } from './store-suite.ts';
import { openerOf, type MakeStore } from './store-under-test.ts';
import { describeIsolation } from './suite/isolation.ts';

const make: MakeStore = async ({ clock, limits }) => {
  const store = openMemoryStore({ clock, limits });
  return { store, reopen: null, destroy: async () => store.close(), controlsTime: true, damage: null };
};

describeStore('memory store', make);

describe('memory store, by itself', () => {
  // The others keep text; only this one could hand out what it keeps.
  describeIsolation(openerOf(make));

  describe('hints', () => {
    it('wakes for its own topic and for no other', async () => {
      const { store, woken } = openListening();
      await put(store, openingOf({ id: 'other', to: agentOf('other') }), openingOf({ id: 'later', as: 'draft' }));
      expect(await woken()).toEqual([]);
      await put(store, openingOf({ id: 'a' }));
      expect(await woken()).toEqual(['offers']);
      await store.change([idOf('a')], refusing);
      await store.change([idOf('a')], acceptByHand());
      await store.change([idOf('a')], asking('which colour?', 1));
      expect(await woken()).toEqual(['offers']);
      await store.change([idOf('a')], cancelled);
      expect(await woken()).toEqual(['offers', 'settled']);
    });

    it('ends at once when the waiter gives up and when the store is closed', async () => {
      const { store } = openListening();
      const giveUp = new AbortController();
      const waiting = store.changed({ kind: 'settled' }, giveUp.signal);
      giveUp.abort();
      await expect(waiting).resolves.toBeUndefined();
      await store.close();
      await expect(store.changed({ kind: 'settled' }, new AbortController().signal)).resolves.toBeUndefined();
    });

    it('polls with the timers that it was given', async () => {
      const slept: number[] = [];
      const timers: Timers = { sleep: async (ms) => void slept.push(ms) };
      const store = openMemoryStore({ clock: manualClock(), limits: NO_LIMITS, timers });
      await store.changed({ kind: 'settled' }, new AbortController().signal);
      expect(slept).toEqual([POLL_MS]);
    });
  });
});

/** A store whose polling never ends by itself, and what its two waiters have heard. */
function openListening(): { readonly store: Store; readonly woken: () => Promise<readonly string[]> } {
  const timers: Timers = { sleep: async (_, signal) => systemTimers.sleep(2 ** 31 - 1, signal) };
  const store = openMemoryStore({ clock: manualClock(), limits: NO_LIMITS, timers });
  const heard: string[] = [];
  const topics: readonly Topic[] = [{ kind: 'offers', agent: WORKER }, { kind: 'settled' }];
  for (const topic of topics) {
    void store.changed(topic, new AbortController().signal).then(() => heard.push(topic.kind));
  }
  return {
    store,
    woken: async () => {
      await new Promise(setImmediate);
      return heard;
    },
  };
}
