/** Changes of an agent's record: made from the newest one, and tried again when somebody else was faster. */
import type { AgentSession } from '../../domain/agent-session.ts';
import type { Context } from '../context.ts';

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
