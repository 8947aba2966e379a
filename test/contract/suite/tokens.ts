/** Access tokens, by their hashes. */
import { describe, expect, it } from 'vitest';
import { StoreFault, type TokenRecord } from '../../../src/stores/store.ts';
import { agentOf } from '../builders.ts';
import type { OpenStore } from '../store-under-test.ts';

function tokenOf(id: string, parts: Partial<TokenRecord> = {}): TokenRecord {
  return {
    id,
    hash: `hash of ${id}`,
    agent: agentOf('ann'),
    roles: ['verifier'],
    scopes: ['read', 'write'],
    label: 'Ann’s laptop',
    createdAt: 1_700_000_000_000,
    expiresAt: null,
    revokedAt: null,
    ...parts,
  };
}

export function describeTokens(open: OpenStore): void {
  describe('tokens', () => {
    it('are found by their hash, exactly as they were added', async () => {
      const { store } = await open();
      const operator = tokenOf('op', { agent: null, roles: [], scopes: [], label: null, expiresAt: 1_800_000_000_000 });
      await store.tokens.add(tokenOf('a'));
      await store.tokens.add(operator);
      expect(await store.tokens.byHash('hash of a')).toEqual(tokenOf('a'));
      expect(await store.tokens.byHash('hash of op')).toEqual(operator);
      for (const hash of ['', 'HASH OF A', 'hash of', "' or true --"]) {
        expect(await store.tokens.byHash(hash)).toBeNull();
      }
    });

    it('are listed oldest first, the revoked ones too', async () => {
      const { store } = await open();
      expect(await store.tokens.list()).toEqual([]);
      await store.tokens.add(tokenOf('z', { createdAt: 2 }));
      await store.tokens.add(tokenOf('b', { createdAt: 1 }));
      await store.tokens.add(tokenOf('a', { createdAt: 3 }));
      await store.tokens.add(tokenOf('c', { createdAt: 1 }));
      await store.tokens.revoke('b');
      expect((await store.tokens.list()).map(({ id }) => id)).toEqual(['b', 'c', 'z', 'a']);
    });

    it('are revoked once, by the clock of the store', async () => {
      const { store } = await open();
      await store.tokens.add(tokenOf('a'));
      await store.tokens.add(tokenOf('b'));
      const before = store.nowMs();
      expect(await store.tokens.revoke('a')).toBe(true);
      const revoked = await store.tokens.byHash('hash of a');
      expect(revoked).toEqual(tokenOf('a', { revokedAt: revoked!.revokedAt }));
      expect(Math.abs(revoked!.revokedAt! - before)).toBeLessThan(60_000);
      expect(await store.tokens.revoke('a')).toBe(false);
      expect(await store.tokens.revoke('unknown')).toBe(false);
      expect(await store.tokens.byHash('hash of a')).toEqual(revoked);
      expect(await store.tokens.byHash('hash of b')).toEqual(tokenOf('b'));
    });

    it('a known id or hash is a fault, also of a revoked one, and leaves what is there', async () => {
      const { store } = await open();
      await store.tokens.add(tokenOf('a'));
      await store.tokens.revoke('a');
      const before = await store.tokens.list();
      for (const token of [tokenOf('a', { hash: 'new' }), tokenOf('b', { hash: 'hash of a' }), tokenOf('a')]) {
        const fault: unknown = await store.tokens.add(token).catch((error: unknown) => error);
        expect(fault).toBeInstanceOf(StoreFault);
        expect(fault).toMatchObject({ outcome: 'unchanged' });
        expect(String(fault)).not.toContain(token.hash);
      }
      expect(await store.tokens.list()).toEqual(before);
    });

    it('of several that add the same or revoke the same, one does', async () => {
      const { store, reopen } = await open();
      const other = reopen === null ? store : await reopen();
      const adding = [store, other, store, other].map(async (each) => each.tokens.add(tokenOf('a')));
      expect((await Promise.allSettled(adding)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const revoking = [store, other, store, other].map(async (each) => each.tokens.revoke('a'));
      expect((await Promise.all(revoking)).filter(Boolean)).toHaveLength(1);
      expect((await other.tokens.byHash('hash of a'))?.revokedAt).not.toBeNull();
    });
  });
}
