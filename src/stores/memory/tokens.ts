import type { Clock } from '../../foundation/clock.ts';
import type { Tokens } from '../store.ts';
import { byAge, knownToken } from '../token-records.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { Shelf } from './shelf.ts';

export function openTokens({ tokens }: Shelf, clock: Clock): Tokens {
  return {
    async add(token) {
      const known = [...tokens.values()].some(({ id, hash }) => id === token.id || hash === token.hash);
      if (known) throw knownToken(token.id);
      tokens.set(token.id, frozenCopy(token));
    },
    async byHash(hash) {
      return [...tokens.values()].find((token) => token.hash === hash) ?? null;
    },
    async list() {
      return [...tokens.values()].toSorted(byAge);
    },
    async revoke(id) {
      const token = tokens.get(id);
      if (token === undefined || token.revokedAt !== null) return false;
      tokens.set(id, Object.freeze({ ...token, revokedAt: clock.nowMs() }));
      return true;
    },
  };
}
