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
  /** With the write lock: nobody ends a session until it is given up, so each is looked at once. */
  begin(): void;
}

export function liveSessionsOf(database: Database): LiveSessions {
  const find = prepare(database, 'SELECT 1 FROM session WHERE id = ? AND ended = 0');
  let alive: SessionId | null = null;
  const isAlive = (session: SessionId): boolean => {
    if (alive === session) return true;
    if (find.get(session) === undefined) return false;
    alive = session;
    return true;
  };
  return {
    begin: () => {
      alive = null;
    },
    mayHold: (before, next) => {
      const session = sessionOf(next);
      return session === null || session === sessionOf(before) || isAlive(session);
    },
  };
}

export function leaseLost({ id, state, fence }: Handoff): Refusal {
  return { code: 'lease-lost', id, fence: null, state, newest: fence };
}

function sessionOf({ custody }: Handoff): SessionId | null {
  return custody?.by === 'process' ? custody.session : null;
}
