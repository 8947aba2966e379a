/** Changes of an agent's record: made from the newest one, and tried again when somebody else was faster. */
import type { AgentSession } from '../../domain/agent-session.ts';
import { SYSTEM } from '../../domain/principal.ts';
import type { Context } from '../context.ts';
import { revokeToken } from '../handoffs/revoke-token.ts';

const ROUNDS_MAX = 16;

/** Null: there is no such session, or `change` wants none. */
export async function changeSession(
  { store }: Pick<Context, 'store'>,
  id: number,
  change: (session: AgentSession) => AgentSession | null,
): Promise<AgentSession | null> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const session = await store.agents.load(id);
    const next = session === null ? null : change(session);
    if (next === null) return null;
    const written = await store.agents.replace(next);
    if (written !== null) return written;
  }
  throw new Error(`agent ${id} is changed by too many at once`);
}

/**
 * Nothing more can be done with the token of this session. `keepsLeases`: what it has accepted stays with its persona,
 * whose next session goes on with it; otherwise that is offered again.
 */
export async function endToken(
  ctx: Context,
  { token }: Pick<AgentSession, 'token'>,
  { keepsLeases = false }: { readonly keepsLeases?: boolean } = {},
): Promise<void> {
  if (token !== undefined) await revokeToken(ctx, SYSTEM, token, { keepsLeases });
}
