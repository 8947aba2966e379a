/** Which session holds a handoff, and the refusal when a session may not take it. */
import type { Handoff } from '../domain/handoff.ts';
import type { SessionId } from '../domain/names.ts';
import type { Refusal } from '../domain/refusals.ts';

/** The session that works on the handoff now. Null: none does. */
export function heldBy({ state, custody }: Handoff): SessionId | null {
  return state === 'accepted' && custody?.by === 'process' ? custody.session : null;
}

/** An ended session takes no handoff: the sweep that releases what it held may have run already. */
export function leaseLost({ id, state, fence }: Handoff): Refusal {
  return { code: 'lease-lost', id, fence: null, state, newest: fence };
}
