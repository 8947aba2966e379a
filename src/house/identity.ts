/**
 * In whose name somebody asks. On a local database `--as` is the word of whoever sits there; a token is proof, and where
 * the workspace is strict there is no moving without one.
 */
import { createHash, randomBytes } from 'node:crypto';
import { refuse, yes, type Result } from '../foundation/result.ts';
import type { AgentId } from '../domain/names.ts';
import { agentPrincipal, OPERATOR, principalText, type Principal, type Role } from '../domain/principal.ts';
import type { Surroundings } from '../engine/surroundings.ts';
import type { TokenRecord } from '../stores/store.ts';

export const SCOPES = ['read', 'write'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Claimant {
  /** Who the caller says they are. */
  readonly as: AgentId | null;
  /** The secret they show, if any. */
  readonly token: string | null;
  /** Who they are when they say nothing. */
  readonly otherwise: Principal;
}

export type IdentityRefusal =
  | { readonly code: 'token-needed'; readonly says: string }
  | { readonly code: 'scope-missing'; readonly says: string }
  | { readonly code: 'token-refused'; readonly says: string };

export async function identify(
  { store, rules }: Surroundings,
  identity: 'local' | 'strict',
  { as, token, otherwise }: Claimant,
  scope: Scope,
): Promise<Result<Principal, IdentityRefusal>> {
  const claimed = as === null ? otherwise : agentPrincipal(as, rules.rolesOf(as));
  if (token === null) {
    if (identity === 'local' || scope === 'read') return yes(withRoles(claimed, rules.rolesOf));
    const who = claimed.kind === 'operator' ? 'the operator' : principalText(claimed);
    return refuse({ code: 'token-needed', says: `this workspace is strict: show a token of ${who} in BATON_TOKEN` });
  }
  const shown = await provenBy({ store, rules }, token, scope);
  if (!shown.ok) return shown;
  const proven = shown.value.principal;
  if (as !== null && principalText(proven) !== principalText(claimed)) {
    const says = `the token is one of ${principalText(proven)}, and --as says ${principalText(claimed)}`;
    return refuse({ code: 'token-refused', says });
  }
  return yes(proven);
}

/** Whose a token is, if it is good for this. */
export async function provenBy(
  { store, rules }: Pick<Surroundings, 'store' | 'rules'>,
  secret: string,
  scope: Scope,
): Promise<Result<{ readonly principal: Principal; readonly record: TokenRecord }, IdentityRefusal>> {
  const record = await store.tokens.byHash(hashOf(secret));
  const wrong = whyNot(record, store.nowMs());
  if (record === null || wrong !== null) return refuse({ code: 'token-refused', says: wrong ?? '' });
  if (!record.scopes.includes(scope)) {
    return refuse({ code: 'scope-missing', says: `the token ${record.id} does not allow to ${scope}` });
  }
  return yes({ principal: principalFrom(record, rules.rolesOf), record });
}

function whyNot(record: TokenRecord | null, nowMs: number): string | null {
  if (record === null) return 'the token is not known here';
  if (record.revokedAt !== null) return `the token ${record.id} was revoked`;
  if (record.expiresAt === null || record.expiresAt > nowMs) return null;
  return `the token ${record.id} expired at ${new Date(record.expiresAt).toISOString()}`;
}

function principalFrom({ agent, roles }: TokenRecord, rolesOf: (agent: AgentId) => readonly Role[]): Principal {
  if (agent === null) return OPERATOR;
  return agentPrincipal(agent, [...new Set([...roles, ...rolesOf(agent)])]);
}

function withRoles(principal: Principal, rolesOf: (agent: AgentId) => readonly Role[]): Principal {
  if (principal.kind !== 'agent' || principal.roles.length > 0) return principal;
  return agentPrincipal(principal.agent, rolesOf(principal.agent));
}

export interface TokenRequest {
  /** Null: an operator's. */
  readonly agent: AgentId | null;
  readonly roles: readonly Role[];
  readonly scopes: readonly Scope[];
  readonly label: string | null;
  readonly lifeMs: number | null;
}

/** The secret is shown once and kept by nobody: the database has its hash. */
export async function mintToken(
  { store }: Surroundings,
  { agent, roles, scopes, label, lifeMs }: TokenRequest,
): Promise<{ readonly secret: string; readonly record: TokenRecord }> {
  const secret = `baton_${randomBytes(32).toString('base64url')}`;
  const nowMs = store.nowMs();
  const record: TokenRecord = {
    id: `tok-${randomBytes(6).toString('hex')}`,
    hash: hashOf(secret),
    agent,
    roles,
    scopes,
    label,
    createdAt: nowMs,
    expiresAt: lifeMs === null ? null : nowMs + lifeMs,
    revokedAt: null,
  };
  await store.tokens.add(record);
  return { secret, record };
}

/** 256 random bits need no slow hash: nobody can try them all. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
