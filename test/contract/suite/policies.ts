/** The policy of a workspace, by versions. */
import { describe, expect, it } from 'vitest';
import type { JsonText } from '../../../src/foundation/json.ts';
import type { OpenStore } from '../store-under-test.ts';

const FIRST = '{"limits":{"outgoing":1}}' as JsonText;
const SECOND = '{"note":"\u00e4 \'quoted\' \\"text\\""}' as JsonText;

export function describePolicies(open: OpenStore): void {
  describe('policy', () => {
    it('a new database has none', async () => {
      const { store } = await open();
      expect(await store.policy.current()).toBeNull();
      expect(await store.policy.history(10)).toEqual([]);
    });

    it('each version is kept with who stored it and when; the newest one is the current one', async () => {
      const { store } = await open();
      const before = store.nowMs();
      const first = await store.policy.put(FIRST, 0, 'system');
      expect(first).toEqual({ version: 1, policy: FIRST, by: 'system', at: first?.at });
      expect(Math.abs((first?.at ?? 0) - before)).toBeLessThan(60_000);
      const second = await store.policy.put(SECOND, 1, 'operator');
      expect(second).toEqual({ version: 2, policy: SECOND, by: 'operator', at: second?.at });
      expect(await store.policy.current()).toEqual(second);
      expect(await store.policy.history(10)).toEqual([second, first]);
      expect(await store.policy.history(1)).toEqual([second]);
    });

    it('whoever expects another version writes nothing', async () => {
      const { store } = await open();
      expect(await store.policy.put(FIRST, 1, 'a')).toBeNull();
      const first = await store.policy.put(FIRST, 0, 'a');
      for (const expected of [0, 2, 7]) expect(await store.policy.put(SECOND, expected, 'b')).toBeNull();
      expect(await store.policy.history(10)).toEqual([first]);
    });

    it('of many that put the same version at once, one does', async () => {
      const { store } = await open();
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const put = await Promise.all(names.map((by) => store.policy.put(FIRST, 0, by)));
      const written = put.filter((record) => record !== null);
      expect(written).toHaveLength(1);
      expect(await store.policy.history(10)).toEqual(written);
    });
  });
}
