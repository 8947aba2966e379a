/** Changes an agent's record with optimistic concurrency: retries if another process was faster. */
import type { AgentSession } from '../../domain/agent-session.ts';
import { SYSTEM } from '../../domain/principal.ts';
import type { Context } from '../context.ts';
import { revokeToken } from '../handoffs/revoke-token.ts';

const ROUNDS_MAX = 16;

/** Null: there is no such session, or `change` returned null. */
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
 * Revokes the token of a session. `keepsLeases`: accepted handoffs stay with the persona, for its next session; otherwise
 * they are offered again.
 */
export async function endToken(
  ctx: Context,
  { token }: Pick<AgentSession, 'token'>,
  { keepsLeases = false }: { readonly keepsLeases?: boolean } = {},
): Promise<void> {
  if (token !== undefined) await revokeToken(ctx, SYSTEM, token, { keepsLeases });
}
