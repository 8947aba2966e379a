/** Token ↔ row of both databases: `record` is JSON, the other columns are searched or changed. */
import { StoreFault, type TokenRecord, type UsedToken } from './store.ts';
import type { TokenEvent, TokenLogDetail, TokenLogLine, TokenLogPage } from './token-store.ts';

export const TOKEN_COLUMNS = 'id, hash, record, revoked_at, keeps_leases';
export const LOG_COLUMNS = 'seq, at, what, token, by, detail';

export function writeToken({ agent, roles, scopes, label, createdAt, expiresAt }: TokenRecord): string {
  return JSON.stringify({ agent, roles, scopes, label, createdAt, expiresAt });
}

export const READ_COLUMNS = `${TOKEN_COLUMNS}, used_at`;

/** A row of `READ_COLUMNS`. */
export function readToken(row: readonly unknown[]): UsedToken {
  const [id, hash, record, revokedAt, keepsLeases, usedAt] = row as [
    string,
    string,
    string,
    number | null,
    number,
    number | null,
  ];
  const written = JSON.parse(record) as Omit<TokenRecord, 'id' | 'hash' | 'revokedAt' | 'keepsLeases'>;
  return { id, hash, ...written, revokedAt, keepsLeases: keepsLeases === 1, usedAt };
}

/** Rows of `LOG_COLUMNS`, newest first, with one more than `max` where there is a next page. */
export function readLogPage(rows: readonly (readonly unknown[])[], max: number): TokenLogPage {
  const shown = rows.slice(0, max);
  return { items: shown.map(readLine), next: rows.length > max ? String(shown.at(-1)?.[0]) : null };
}

function readLine(row: readonly unknown[]): TokenLogLine {
  const [, at, what, token, by, detail] = row as [number, number, TokenEvent, string | null, string, string];
  return { at, what, token, by, detail: JSON.parse(detail) as TokenLogDetail };
}

/** Oldest first; tokens of the same instant by id. */
export function byAge(one: TokenRecord, other: TokenRecord): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
}

export function knownToken(id: string): StoreFault {
  return new StoreFault(`there is a token ${id} already, or one with the same secret`, 'unchanged');
}
