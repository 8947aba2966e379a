/** Token ↔ what both databases keep of it: `record` is a text, the rest are columns that are searched or changed. */
import { StoreFault, type TokenRecord } from './store.ts';

export function writeToken({ agent, roles, scopes, label, createdAt, expiresAt }: TokenRecord): string {
  return JSON.stringify({ agent, roles, scopes, label, createdAt, expiresAt });
}

export function readToken(id: string, hash: string, record: string, revokedAt: number | null): TokenRecord {
  return { id, hash, ...(JSON.parse(record) as Omit<TokenRecord, 'id' | 'hash' | 'revokedAt'>), revokedAt };
}

/** Oldest first; those of one instant always in the same order. */
export function byAge(one: TokenRecord, other: TokenRecord): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
}

export function knownToken(id: string): StoreFault {
  return new StoreFault(`there is a token ${id} already, or one with the same secret`, 'unchanged');
}
