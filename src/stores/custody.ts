/** Which session works on a handoff, and what is said when it must not. */
import type { Handoff } from '../domain/handoff.ts';
import type { SessionId } from '../domain/names.ts';
import type { Refusal } from '../domain/refusals.ts';

/** The session that works on it now, if any. */
export function heldBy({ state, custody }: Handoff): SessionId | null {
  return state === 'accepted' && custody?.by === 'process' ? custody.session : null;
}

/** Nothing passes to a session that has ended: whoever gives back what it held may have been there already. */
export function leaseLost({ id, state, fence }: Handoff): Refusal {
  return { code: 'lease-lost', id, fence: null, state, newest: fence };
}
