/** What somebody may do to a handoff as it is now: for whoever has to show buttons before they are pressed. */
import type { Handoff } from '../../domain/handoff.ts';
import { may } from '../../domain/rights.ts';
import { MOVES } from '../../operations/index.ts';
import type { Caller } from './caller.ts';

/** The table of rights has states in its cells, so it alone knows which moves there are. */
export function allowedMoves({ principal, scopes }: Caller, handoff: Handoff): readonly string[] {
  if (!scopes.includes('write')) return [];
  return Object.values(MOVES)
    .filter(({ permission }) => permission !== 'operator' && may(principal, permission, handoff).ok)
    .map(({ name }) => name);
}
