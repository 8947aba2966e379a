/** In whose name something is asked. It comes from the face (a token, the local user), never from a payload. */
import type { AgentId } from './names.ts';

export const EVERY_ROLE = ['verifier', 'chief'] as const;
export type Role = (typeof EVERY_ROLE)[number];

export type Principal =
  | { readonly kind: 'agent'; readonly agent: AgentId; readonly roles: readonly Role[] }
  /** The person at the machine, or whoever holds an operator's token. */
  | { readonly kind: 'operator' }
  /** Clocks, sweeps and the rules of the house. */
  | { readonly kind: 'system' }
  /** A program that only moves files: nobody vouches for more than its user id. */
  | { readonly kind: 'file'; readonly user: string };

export const SYSTEM: Principal = { kind: 'system' };
export const OPERATOR: Principal = { kind: 'operator' };

export function agentPrincipal(agent: AgentId, roles: readonly Role[] = []): Principal {
  return { kind: 'agent', agent, roles };
}

/** As it is written into facts. Agents carry the @ that no other name can begin with. */
export function principalText(principal: Principal): string {
  switch (principal.kind) {
    case 'agent':
      return `@${principal.agent}`;
    case 'file':
      return `file:${principal.user}`;
    case 'operator':
    case 'system':
      return principal.kind;
  }
}
