/**
 * The part of the store contract for access tokens. Only hashes are stored. Every change of access is written in one
 * transaction with its line in the token log.
 */
import type { AgentId } from '../domain/names.ts';
import type { Role } from '../domain/principal.ts';

export interface Tokens {
  /** False: `bootstrap` is `use`, and the bootstrap is closed; nothing was written. A known id or hash is a fault. */
  add(token: TokenRecord, minting: Minting): Promise<boolean>;
  byHash(hash: string): Promise<UsedToken | null>;
  /** The tokens that exist among these ids, in any order. */
  byIds(ids: readonly string[]): Promise<readonly UsedToken[]>;
  /** Oldest first, including revoked tokens. */
  list(): Promise<readonly UsedToken[]>;
  /** Records that the token was used. Only for display, so not exact to the second. */
  used(id: string): Promise<void>;
  /** False: there is no such token, or it was revoked before. */
  revoke(id: string, revoking: Revoking): Promise<boolean>;
  /** Whether the first operator token can still be created without a token. */
  bootstrapIsOpen(): Promise<boolean>;
  /** Appends a denial to the log. Only the newest `DENIALS_MAX` are kept, so that no stranger can fill the disk. */
  denied(denial: Denial): Promise<void>;
  /** Newest first. `next` continues as `after` where the page ends. */
  log(query: { readonly max: number; readonly after?: string }): Promise<TokenLogPage>;
}

export const DENIALS_MAX = 1_000;

export interface TokenRecord {
  readonly id: string;
  /** SHA-256 of the token, in hex. */
  readonly hash: string;
  /** Null: an operator's. */
  readonly agent: AgentId | null;
  readonly roles: readonly Role[];
  readonly scopes: readonly string[];
  readonly label: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Revoked, but handoffs that were claimed with it stay claimed. */
  readonly keepsLeases: boolean;
}

export interface UsedToken extends TokenRecord {
  /** When the token was last used, to the minute. Null: never. */
  readonly usedAt: number | null;
}

/** Who made a token, and what that does to the bootstrap. */
export interface Minting {
  readonly by: string;
  /** `recovered`: created without a token, by a user who can open the database. */
  readonly what?: 'minted' | 'recovered';
  /** `use`: only while the bootstrap is open. Both values close it; absent leaves it unchanged. */
  readonly bootstrap?: 'use' | 'close';
}

interface Revoking {
  readonly by: string;
  readonly keepsLeases?: boolean;
}

interface Denial {
  /** The token that was used. Null: unknown. */
  readonly token: string | null;
  readonly by: string;
  readonly detail: TokenLogDetail;
}

export const TOKEN_EVENTS = ['minted', 'recovered', 'revoked', 'denied'] as const;
export type TokenEvent = (typeof TOKEN_EVENTS)[number];
export type TokenLogDetail = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export interface TokenLogLine {
  readonly at: number;
  readonly what: TokenEvent;
  readonly token: string | null;
  readonly by: string;
  readonly detail: TokenLogDetail;
}

export interface TokenLogPage {
  readonly items: readonly TokenLogLine[];
  readonly next: string | null;
}

/** What the log says about a new token. */
export function mintedDetail({ agent, roles, scopes, label, expiresAt }: TokenRecord): TokenLogDetail {
  return { for: agent === null ? 'operator' : `@${agent}`, roles, scopes, label, expiresAt };
}
