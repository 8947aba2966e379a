/** Access tokens, by their hashes. */
import { describe, expect, it } from 'vitest';
import { BadCursor, StoreFault, type Store, type UsedToken } from '../../../src/stores/store.ts';
import { DENIALS_MAX } from '../../../src/stores/token-store.ts';
import { agentOf } from '../builders.ts';
import type { OpenStore } from '../store-under-test.ts';

const MINTING = { by: 'me' } as const;

function tokenOf(id: string, parts: Partial<UsedToken> = {}): UsedToken {
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
    keepsLeases: false,
    usedAt: null,
    ...parts,
  };
}

export function describeTokens(open: OpenStore): void {
  describe('tokens', () => {
    it('are found by their hash, exactly as they were added', async () => {
      const { store } = await open();
      const operator = tokenOf('op', { agent: null, roles: [], scopes: [], label: null, expiresAt: 1_800_000_000_000 });
      await store.tokens.add(tokenOf('a'), MINTING);
      await store.tokens.add(operator, MINTING);
      expect(await store.tokens.byHash('hash of a')).toEqual(tokenOf('a'));
      expect(await store.tokens.byHash('hash of op')).toEqual(operator);
      for (const hash of ['', 'HASH OF A', 'hash of', "' or true --"]) {
        expect(await store.tokens.byHash(hash)).toBeNull();
      }
    });

    it('are listed oldest first, the revoked ones too', async () => {
      const { store } = await open();
      expect(await store.tokens.list()).toEqual([]);
      await store.tokens.add(tokenOf('z', { createdAt: 2 }), MINTING);
      await store.tokens.add(tokenOf('b', { createdAt: 1 }), MINTING);
      await store.tokens.add(tokenOf('a', { createdAt: 3 }), MINTING);
      await store.tokens.add(tokenOf('c', { createdAt: 1 }), MINTING);
      await store.tokens.revoke('b', { by: 'me' });
      expect((await store.tokens.list()).map(({ id }) => id)).toEqual(['b', 'c', 'z', 'a']);
    });

    it('are said to be used by the clock of the store', async () => {
      const { store } = await open();
      await store.tokens.add(tokenOf('a'), MINTING);
      await store.tokens.add(tokenOf('b'), MINTING);
      const before = store.nowMs();
      await store.tokens.used('a');
      await store.tokens.used('unknown');
      const [a, b] = await store.tokens.list();
      expect(Math.abs((a?.usedAt ?? 0) - before)).toBeLessThan(60_000);
      expect(b?.usedAt).toBeNull();
      expect((await store.tokens.byHash('hash of a'))?.usedAt).toBe(a?.usedAt);
    });

    it('are revoked once, by the clock of the store', async () => {
      const { store } = await open();
      await store.tokens.add(tokenOf('a'), MINTING);
      await store.tokens.add(tokenOf('b'), MINTING);
      const before = store.nowMs();
      expect(await store.tokens.revoke('a', { by: 'me' })).toBe(true);
      const revoked = await store.tokens.byHash('hash of a');
      expect(revoked).toEqual(tokenOf('a', { revokedAt: revoked!.revokedAt }));
      expect(Math.abs(revoked!.revokedAt! - before)).toBeLessThan(60_000);
      expect(await store.tokens.revoke('a', { by: 'me' })).toBe(false);
      expect(await store.tokens.revoke('unknown', { by: 'me' })).toBe(false);
      expect(await store.tokens.byHash('hash of a')).toEqual(revoked);
      expect(await store.tokens.byHash('hash of b')).toEqual(tokenOf('b'));
    });

    it('a known id or hash is a fault, also of a revoked one, and leaves what is there', async () => {
      const { store } = await open();
      await store.tokens.add(tokenOf('a'), MINTING);
      await store.tokens.revoke('a', { by: 'me' });
      const before = await store.tokens.list();
      for (const token of [tokenOf('a', { hash: 'new' }), tokenOf('b', { hash: 'hash of a' }), tokenOf('a')]) {
        const fault: unknown = await store.tokens.add(token, MINTING).catch((error: unknown) => error);
        expect(fault).toBeInstanceOf(StoreFault);
        expect(fault).toMatchObject({ outcome: 'unchanged' });
        expect(String(fault)).not.toContain(token.hash);
      }
      expect(await store.tokens.list()).toEqual(before);
    });

    it('of several that add the same or revoke the same, one does', async () => {
      const { store, reopen } = await open();
      const other = reopen === null ? store : await reopen();
      const adding = [store, other, store, other].map(async (each) => each.tokens.add(tokenOf('a'), MINTING));
      expect((await Promise.allSettled(adding)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const revoking = [store, other, store, other].map(async (each) => each.tokens.revoke('a', { by: 'me' }));
      expect((await Promise.all(revoking)).filter(Boolean)).toHaveLength(1);
      expect((await other.tokens.byHash('hash of a'))?.revokedAt).not.toBeNull();
    });

    it('are found by their ids, and say whether they keep their leases', async () => {
      const { store } = await open();
      for (const id of ['a', 'b', 'c']) await store.tokens.add(tokenOf(id), MINTING);
      await store.tokens.revoke('b', { by: 'me', keepsLeases: true });
      const found = await store.tokens.byIds(['b', 'unknown', 'a', "' or true --"]);
      expect(new Map(found.map(({ id, keepsLeases }) => [id, keepsLeases]))).toEqual(
        new Map([
          ['a', false],
          ['b', true],
        ]),
      );
      expect(await store.tokens.byIds([])).toEqual([]);
    });

    it('the bootstrap can be used once, by one of many, and no end of a token opens it again', async () => {
      const { store, reopen } = await open();
      const other = reopen === null ? store : await reopen();
      expect(await store.tokens.bootstrapIsOpen()).toBe(true);
      await store.tokens.add(tokenOf('agent'), MINTING);
      expect(await store.tokens.bootstrapIsOpen()).toBe(true);
      const first = tokenOf('first', { agent: null, expiresAt: 1 });
      const using = [store, other, store, other].map(async (each, index) =>
        each.tokens.add({ ...first, id: `first-${index}`, hash: `hash ${index}` }, { by: 'me', bootstrap: 'use' }),
      );
      expect((await Promise.all(using)).filter(Boolean)).toHaveLength(1);
      const operators = (await store.tokens.list()).filter(({ agent }) => agent === null);
      expect(operators).toHaveLength(1);
      await other.tokens.revoke(operators[0]!.id, { by: 'me' });
      expect(await other.tokens.bootstrapIsOpen()).toBe(false);
      expect(await store.tokens.add(tokenOf('late', { agent: null }), { by: 'me', bootstrap: 'use' })).toBe(false);
      expect(await store.tokens.byHash('hash of late')).toBeNull();
    });

    it('the bootstrap is closed by a token that was made otherwise', async () => {
      const { store } = await open();
      await store.tokens.add(tokenOf('a', { agent: null }), { by: 'me', bootstrap: 'close' });
      expect(await store.tokens.bootstrapIsOpen()).toBe(false);
    });

    it('what happens to them is logged with it, newest first, and what did not happen is not', async () => {
      const { store } = await open();
      await store.tokens.add(tokenOf('a'), { by: 'ann' });
      await store.tokens.add(tokenOf('b'), { by: 'bob', what: 'recovered', bootstrap: 'close' });
      await store.tokens.add(tokenOf('a'), { by: 'eve' }).catch(() => undefined);
      await store.tokens.add(tokenOf('c'), { by: 'eve', bootstrap: 'use' });
      await store.tokens.revoke('a', { by: 'ann', keepsLeases: true });
      await store.tokens.revoke('a', { by: 'eve' });
      await store.tokens.denied({ token: 'a', by: '@ann', detail: { code: 'token-refused', count: 3 } });
      const { items, next } = await store.tokens.log({ max: 10 });
      expect(next).toBeNull();
      expect(items.map(({ what, token, by }) => [what, token, by])).toEqual([
        ['denied', 'a', '@ann'],
        ['revoked', 'a', 'ann'],
        ['recovered', 'b', 'bob'],
        ['minted', 'a', 'ann'],
      ]);
      expect(items[0]!.detail).toEqual({ code: 'token-refused', count: 3 });
      expect(items[1]!.detail).toEqual({ keepsLeases: true });
      expect(items[3]!.detail).toMatchObject({ for: '@ann', scopes: ['read', 'write'] });
      expect(JSON.stringify(items)).not.toContain('hash of');
      expect(await whatsOf(store, 2)).toEqual([
        ['denied', 'revoked'],
        ['recovered', 'minted'],
      ]);
      await expect(store.tokens.log({ max: 1, after: 'x' })).rejects.toBeInstanceOf(BadCursor);
    });

    it('denials push out older denials and nothing else', async () => {
      const { store } = await open();
      await store.tokens.add(tokenOf('a'), { by: 'me' });
      const denial = { token: null, by: 'unknown', detail: {} };
      for (let count = 0; count < DENIALS_MAX + 20; count += 20) {
        await Promise.all(Array.from({ length: 20 }, async () => store.tokens.denied(denial)));
      }
      const { items } = await store.tokens.log({ max: 2 * DENIALS_MAX });
      expect(items.filter(({ what }) => what === 'minted')).toHaveLength(1);
      // Those that are written at the same moment on a server may each leave the same place free.
      expect(items.length).toBeLessThanOrEqual(DENIALS_MAX + 21);
    });
  });
}

async function whatsOf(store: Store, max: number): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  for (let after: string | undefined; ;) {
    const { items, next } = await store.tokens.log({ max, ...(after === undefined ? {} : { after }) });
    pages.push(items.map(({ what }) => what));
    if (next === null) return pages;
    after = next;
  }
}
