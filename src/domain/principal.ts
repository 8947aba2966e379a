/** In whose name a request is made. The interface determines it (a token, the local user); it never comes from a payload. */
import type { JsonObject } from '../foundation/json.ts';
import { viaKey, viaToken } from './assurance.ts';
import type { AgentId } from './names.ts';
import { shareDetail } from './fact-detail-text.ts';
import type { Signer } from './signature.ts';

export const EVERY_ROLE = ['verifier', 'chief'] as const;
export type Role = (typeof EVERY_ROLE)[number];

export type Principal =
  | ({
      readonly kind: 'agent';
      readonly agent: AgentId;
      readonly roles: readonly Role[];
      /** Signs the moves of this agent; absent: its moves are not signed. */
      readonly signer?: Signer;
    } & TokenProof)
  /** The local user, or the holder of an operator's token. */
  | ({ readonly kind: 'operator' } & TokenProof)
  /** Clocks, sweeps and the rules of the workspace. */
  | { readonly kind: 'system' }
  /** A program that only moves files in the queue folder. Only its user id is known. */
  | { readonly kind: 'file'; readonly user: string }
  /**
   * The writer of a document: a user of this machine, or the author of a commit. The text names the agent that it acts for
   * (`as`), and the writer has exactly that agent's rights.
   */
  | {
      readonly kind: 'writer';
      readonly via: 'file' | 'git';
      readonly who: string;
      readonly as: Speaker;
      /** The fingerprint of the registered key of `as` that signed the commit. */
      readonly key?: string;
    };

interface TokenProof {
  /** The id of the token that proves the identity, if one was shown. */
  readonly token?: string;
  /** The user of this machine who showed the token, if identity is local: one user may have tokens of several agents. */
  readonly user?: string;
}

export type Speaker = Exclude<Principal, { readonly kind: 'writer' | 'file' }>;

export const SYSTEM: Speaker = { kind: 'system' };
export const OPERATOR: Speaker = { kind: 'operator' };

export function agentPrincipal(agent: AgentId, roles: readonly Role[] = []): Speaker {
  return { kind: 'agent', agent, roles };
}

/** The same principal, proven by this token. */
export function provenWith(principal: Speaker, token: string): Speaker {
  return principal.kind === 'system' ? principal : { ...principal, token };
}

/** The id of the shown token; null: none. */
export function tokenIn(principal: Principal): string | null {
  return principal.kind === 'agent' || principal.kind === 'operator' ? (principal.token ?? null) : null;
}

/** Adds the proof of the principal to the detail of a fact. A local user adds nothing. */
export function proven(principal: Principal, detail: JsonObject | null): JsonObject | null {
  if (principal.kind === 'writer') {
    return principal.key === undefined ? detail : { ...detail, via: viaKey(principal.key) };
  }
  const token = tokenIn(principal);
  if (token === null) return detail;
  const proof = proofOf(principal, token);
  return detail === null ? proof : { ...detail, ...proof };
}

/** Cached by token and user, because most principals are created for one request. */
const proofs = new Map<string, JsonObject>();
const PROOFS_MAX = 1_000;

function proofOf(principal: Principal, token: string): JsonObject {
  const user = principal.kind === 'agent' || principal.kind === 'operator' ? principal.user : undefined;
  const key = user === undefined ? token : `${token} ${user}`;
  const known = proofs.get(key);
  if (known !== undefined) return known;
  const proof = shareDetail({ via: viaToken(token), ...(user === undefined ? {} : { user }) });
  if (proofs.size >= PROOFS_MAX) proofs.clear();
  proofs.set(key, proof);
  return proof;
}

/** The text for facts. Only agents begin with @. */
export function principalText(principal: Principal): string {
  switch (principal.kind) {
    case 'agent':
      return `@${principal.agent}`;
    case 'file':
      return `file:${principal.user}`;
    case 'writer':
      return `${principal.via}:${principal.who} as ${principalText(principal.as)}`;
    case 'operator':
    case 'system':
      return principal.kind;
  }
}

/** The agent, operator or system in whose name a fact was written; null: a program that moves files. */
export function speakerIn(by: string): string | null {
  const said = by.slice(by.lastIndexOf(' ') + 1);
  if (said.startsWith('@')) return said.slice(1);
  return said === 'operator' || said === 'system' ? said : null;
}
