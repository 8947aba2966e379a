/**
 * Nothing passes to a session that has ended: whoever gives back what such sessions held may have been there already.
 * What it holds, it may still settle, as long as nobody has taken it away.
 */
import type { Handoff } from '../../domain/handoff.ts';
import type { SessionId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { prepare, type Database } from './binding.ts';

export interface LiveSessions {
  mayHold(before: Handoff, next: Handoff): boolean;
}

export function liveSessionsOf(database: Database): LiveSessions {
  const find = prepare(database, 'SELECT 1 FROM session WHERE id = ? AND ended = 0');
  return {
    mayHold: (before, next) => {
      const session = sessionOf(next);
      return session === null || session === sessionOf(before) || find.get(session) !== undefined;
    },
  };
}

export function leaseLost({ id, state, fence }: Handoff): Refusal {
  return { code: 'lease-lost', id, fence: null, state, newest: fence };
}

function sessionOf({ custody }: Handoff): SessionId | null {
  return custody?.by === 'process' ? custody.session : null;
}
