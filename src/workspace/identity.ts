/**
 * Decides in whose name a caller acts. Under local identity `--as` is believed; a token is proof, and under strict identity
 * every change needs one.
 */
import { createHash, randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { err, ok, type Result } from '../foundation/result.ts';
import type { AgentId } from '../domain/names.ts';
import {
  agentPrincipal,
  OPERATOR,
  principalText,
  provenWith,
  type Principal,
  type Role,
  type Speaker,
} from '../domain/principal.ts';
import type { Context } from '../engine/context.ts';
import { whyNotGood } from '../engine/token-watch.ts';
import type { OfferReader } from '../stores/offer-reader.ts';
import type { Minting, Store, TokenRecord, UsedToken } from '../stores/store.ts';

export const SCOPES = ['read', 'write'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Credentials {
  /** The principal that the caller names; null: none. */
  readonly as: Speaker | null;
  /** The secret that the caller shows. */
  readonly token: string | null;
  /** The principal of a caller that names none. */
  readonly defaultPrincipal: Principal;
}

export type IdentityRefusal =
  | { readonly code: 'token-needed'; readonly says: string }
  /** `token`: the id of the given token, if it is known. */
  | { readonly code: 'scope-missing' | 'token-refused'; readonly says: string; readonly token: string | null };

export async function identify(
  { store, rules }: Context,
  identity: 'local' | 'strict',
  { as, token, defaultPrincipal }: Credentials,
  scope: Scope,
): Promise<Result<Principal, IdentityRefusal>> {
  const claimed = as ?? defaultPrincipal;
  if (token === null) {
    if (identity === 'local' || scope === 'read') return ok(withRoles(claimed, rules.rolesOf));
    const who = claimed.kind === 'operator' ? 'the operator' : principalText(claimed);
    return err({ code: 'token-needed', says: `this workspace is strict: show a token of ${who} in BATON_TOKEN` });
  }
  const shown = await verifyToken({ store, rules }, token, scope);
  if (!shown.ok) return shown.refusal.code === 'token-needed' ? shown : denied(store, null, shown.refusal);
  const proven = shown.value.principal;
  if (as !== null && principalText(proven) !== principalText(claimed)) {
    const says = `the token is one of ${principalText(proven)}, and --as says ${principalText(claimed)}`;
    return denied(store, proven, { code: 'token-refused', says, token: shown.value.record.id });
  }
  const isPerson = proven.kind === 'agent' || proven.kind === 'operator';
  return ok(identity === 'local' && isPerson ? { ...proven, user: userId() } : proven);
}

function userId(): string {
  return String(process.getuid?.() ?? 'unknown');
}

/** Records a refused token in the log, where the database can be written. */
async function denied(
  store: Store,
  by: Principal | null,
  refusal: Extract<IdentityRefusal, { readonly token: string | null }>,
): Promise<Result<never, IdentityRefusal>> {
  const { code, token } = refusal;
  const detail = { code, where: 'command line or library' };
  await store.tokens.denied({ token, by: by === null ? 'unknown' : principalText(by), detail }).catch(() => undefined);
  return err(refusal);
}

export interface ProvenToken {
  readonly principal: Principal;
  readonly record: TokenRecord;
}

/** The principal of a token that is valid for this scope. */
export async function verifyToken(
  {
    store,
    rules,
  }: { readonly store: Pick<OfferReader, 'tokens' | 'nowMs'>; readonly rules: Pick<Context['rules'], 'rolesOf'> },
  secret: string,
  scope: Scope,
): Promise<Result<ProvenToken, IdentityRefusal>> {
  const record = await store.tokens.byHash(hashOf(secret));
  const wrong = whyNotGood(record, store.nowMs());
  if (record === null || wrong !== null) {
    return err({ code: 'token-refused', says: wrong ?? '', token: record?.id ?? null });
  }
  recordUse(store, record);
  if (!record.scopes.includes(scope)) {
    const says = `the token ${record.id} does not allow to ${scope}`;
    return err({ code: 'scope-missing', says, token: record.id });
  }
  return ok({ principal: principalFrom(record, rules.rolesOf), record });
}

const USE_RECORDED_MS = 60_000;
const recordedUses = new WeakMap<Pick<OfferReader, 'tokens' | 'nowMs'>, Map<string, number>>();

/** At most once a minute for each token, without waiting: operators want to know which tokens are in use. */
function recordUse(store: Pick<OfferReader, 'tokens' | 'nowMs'>, { id, usedAt }: UsedToken): void {
  const nowMs = store.nowMs();
  const uses = recordedUses.get(store) ?? new Map<string, number>();
  recordedUses.set(store, uses);
  if (nowMs - Math.max(usedAt ?? 0, uses.get(id) ?? 0) < USE_RECORDED_MS) return;
  uses.set(id, nowMs);
  // The request goes on where this cannot be written.
  void store.tokens.used(id).catch(() => undefined);
}

/** The same for the id of a token; null: it is no longer valid. */
export async function verifyTokenId(
  { store, rules }: Pick<Context, 'store' | 'rules'>,
  id: string,
): Promise<ProvenToken | null> {
  const [record] = await store.tokens.byIds([id]);
  if (record === undefined || whyNotGood(record, store.nowMs()) !== null) return null;
  recordUse(store, record);
  return { principal: principalFrom(record, rules.rolesOf), record };
}

function principalFrom({ id, agent, roles }: TokenRecord, rolesOf: (agent: AgentId) => readonly Role[]): Principal {
  if (agent === null) return provenWith(OPERATOR, id);
  return provenWith(agentPrincipal(agent, [...new Set([...roles, ...rolesOf(agent)])]), id);
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

export interface Minted {
  readonly secret: string;
  readonly record: TokenRecord;
}

/** Whether the token can make other tokens: from then on the bootstrap is closed. */
export function canMint({ agent, scopes }: Pick<TokenRequest, 'agent' | 'scopes'>): boolean {
  return agent === null && scopes.includes('write');
}

/** Makes the first operator token, for any user who can open the database; null: one was made before. */
export async function mintFirstToken(ctx: Context, request: TokenRequest): Promise<Minted | null> {
  const minted = newToken(ctx, request);
  const added = await ctx.store.tokens.add(minted.record, { by: localUser(), bootstrap: 'use' });
  return added ? minted : null;
}

/** The secret is shown once; the database has only its hash. */
export async function mintToken(ctx: Context, request: TokenRequest, minting: Minting): Promise<Minted> {
  const minted = newToken(ctx, request);
  await ctx.store.tokens.add(minted.record, { ...(canMint(request) ? { bootstrap: 'close' } : {}), ...minting });
  return minted;
}

/**
 * The token of a server for programs of the same user, or of one session of an agent that Baton starts; valid once it is
 * saved. It ends with its process, so it does not close the bootstrap.
 */
export function makeSessionToken(
  ctx: Context,
  agent: AgentId | null,
  label: string,
): { readonly id: string; readonly secret: string; save(): Promise<void> } {
  const { record, secret } = newToken(ctx, { agent, roles: [], scopes: SCOPES, label, lifeMs: null });
  return { id: record.id, secret, save: async () => void (await ctx.store.tokens.add(record, { by: localUser() })) };
}

/** The user of this machine, as the token log names them. */
export function localUser(): string {
  try {
    return `local user ${userInfo().username}`;
  } catch {
    // An account without a name, as in some containers.
    return `local user ${userId()}`;
  }
}

function newToken({ store }: Context, { agent, roles, scopes, label, lifeMs }: TokenRequest): Minted {
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
    keepsLeases: false,
  };
  return { secret, record };
}

/** 256 random bits need no slow hash. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
