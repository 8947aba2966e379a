import type { Clock } from '../../foundation/clock.ts';
import {
  DENIALS_MAX,
  mintedDetail,
  type TokenLogLine,
  type TokenRecord,
  type Tokens,
  type UsedToken,
} from '../token-store.ts';
import { byAge, knownToken, readLogPage } from '../token-records.ts';
import { readCursor } from '../read-cursor.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { Tables } from './tables.ts';

export function openTokens({ tokens, tokenUses, tokenLog, bootstrap }: Tables, clock: Clock): Tokens {
  const note = (line: Omit<TokenLogLine, 'at'>): void => {
    const seq = (tokenLog.at(-1)?.seq ?? 0) + 1;
    tokenLog.push(frozenCopy({ ...line, seq, at: clock.nowMs() }));
  };
  const used = (token: TokenRecord): UsedToken => ({ ...token, usedAt: tokenUses.get(token.id) ?? null });
  return {
    async add(token, { by, what = 'minted', bootstrap: wanted }) {
      if (wanted === 'use' && !bootstrap.isOpen) return false;
      const known = [...tokens.values()].some(({ id, hash }) => id === token.id || hash === token.hash);
      if (known) throw knownToken(token.id);
      tokens.set(token.id, frozenCopy(token));
      if (wanted !== undefined) bootstrap.isOpen = false;
      note({ what, token: token.id, by, detail: mintedDetail(token) });
      return true;
    },
    async byHash(hash) {
      const found = [...tokens.values()].find((token) => token.hash === hash);
      return found === undefined ? null : used(found);
    },
    byIds: async (ids) => ids.flatMap((id) => tokens.get(id) ?? []).map(used),
    list: async () => [...tokens.values()].toSorted(byAge).map(used),
    async used(id) {
      if (tokens.has(id)) tokenUses.set(id, clock.nowMs());
    },
    async revoke(id, { by, keepsLeases = false }) {
      const token = tokens.get(id);
      if (token === undefined || token.revokedAt !== null) return false;
      tokens.set(id, Object.freeze({ ...token, revokedAt: clock.nowMs(), keepsLeases }));
      note({ what: 'revoked', token: id, by, detail: { keepsLeases } });
      return true;
    },
    bootstrapIsOpen: async () => bootstrap.isOpen,
    async denied(denial) {
      const denials = tokenLog.filter(({ what }) => what === 'denied');
      const oldest = denials.length < DENIALS_MAX ? -1 : tokenLog.indexOf(denials[0] as (typeof tokenLog)[number]);
      if (oldest >= 0) tokenLog.splice(oldest, 1);
      note({ what: 'denied', ...denial });
    },
    async log({ max, after }) {
      const before = after === undefined ? Infinity : readCursor(after);
      const rows = tokenLog
        .filter(({ seq }) => seq < before)
        .toReversed()
        .slice(0, max + 1)
        .map(({ seq, at, what, token, by, detail }) => [seq, at, what, token, by, JSON.stringify(detail)]);
      return readLogPage(rows, max);
    },
  };
}
