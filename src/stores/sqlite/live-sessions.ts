/**
 * An ended session takes no handoff: the sweep that releases what it held may have run already. It may still settle what
 * it holds, until a sweep releases it.
 */
import type { Handoff } from '../../domain/handoff.ts';
import type { SessionId } from '../../domain/names.ts';
import { heldBy } from '../custody.ts';
import type { Sql } from './binding.ts';

export interface LiveSessions {
  mayHold(before: Handoff, next: Handoff): boolean;
  /** Called when the write lock is taken. No session ends while it is held, so each is read once. */
  begin(): void;
}

export function liveSessionsOf(sql: Sql): LiveSessions {
  const find = sql('SELECT 1 FROM session WHERE id = ? AND ended = 0');
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
      const session = heldBy(next);
      return session === null || session === heldBy(before) || isAlive(session);
    },
  };
}
