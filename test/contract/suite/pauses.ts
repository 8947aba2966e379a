/** An agent that is paused takes nothing, wherever it asks; who paused and resumed it is kept. */
import { describe, expect, it } from 'vitest';
import { acceptBy, agentOf, openingOf, openingsOf, releaseBy, WORKER, idOf } from '../builders.ts';
import { put } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

const PAUSE = { agent: WORKER, by: 'operator', reason: 'the key is used up' } as const;

export function describePauses(open: OpenStore): void {
  describe('pauses', () => {
    it('give an agent nothing, in every process, until it is resumed; others go on', async () => {
      const { store, reopen } = await open();
      const elsewhere = reopen === null ? store : await reopen();
      await put(store, ...openingsOf(3, 'a'), openingOf({ id: 'b', to: agentOf('other') }));
      // What was seen beside the first one is not taken by a guess either.
      expect(await elsewhere.claim(WORKER, 1, acceptBy())).toHaveLength(1);
      expect(await store.pauses.begin(PAUSE)).toMatchObject({ ...PAUSE, endedAt: null, endedBy: null });
      expect(await elsewhere.claim(WORKER, 10, acceptBy())).toEqual([]);
      expect(await store.claim(WORKER, 1, acceptBy())).toEqual([]);
      expect(await elsewhere.pauses.isPaused(WORKER)).toBe(true);
      expect(await store.claim(agentOf('other'), 10, acceptBy())).toHaveLength(1);
      // What it holds is still its own.
      expect((await elsewhere.change([idOf('a-0')], releaseBy(1)))[0]?.ok).toBe(true);
      expect(await elsewhere.pauses.end(WORKER, 'somebody')).toMatchObject({ ...PAUSE, endedBy: 'somebody' });
      expect(await store.claim(WORKER, 10, acceptBy())).toHaveLength(3);
    });

    it('begin and end once, and are listed with those that last first', async () => {
      const { pauses } = (await open()).store;
      expect(await pauses.end(WORKER, 'me')).toBeNull();
      await pauses.begin(PAUSE);
      expect(await pauses.begin({ ...PAUSE, by: 'another' })).toBeNull();
      await pauses.begin({ agent: agentOf('other'), by: 'me', reason: null });
      await pauses.end(agentOf('other'), 'me');
      expect(await pauses.end(agentOf('other'), 'me')).toBeNull();
      const listed = await pauses.list(10);
      expect(listed.map(({ agent, by, endedBy }) => [agent, by, endedBy])).toEqual([
        [WORKER, 'operator', null],
        ['other', 'me', 'me'],
      ]);
      expect(await pauses.list(1)).toHaveLength(1);
      expect(await pauses.isPaused(agentOf('other'))).toBe(false);
    });

    it('end for those who wait for an offer', async () => {
      const { store } = await open();
      await store.pauses.begin(PAUSE);
      await put(store, openingOf({ id: 'a' }));
      const over = new AbortController();
      const taken = (async (): Promise<number> => {
        for (;;) {
          const hint = store.changed({ kind: 'offers', agent: WORKER }, over.signal);
          const claimed = await store.claim(WORKER, 1, acceptBy());
          if (claimed.length > 0) return claimed.length;
          await hint;
        }
      })();
      await store.pauses.end(WORKER, 'me');
      expect(await taken).toBe(1);
      over.abort();
    });
  });
}
