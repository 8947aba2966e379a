import { assert } from '../../foundation/assert.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { SessionId } from '../../domain/names.ts';
import type { Sessions } from '../store.ts';
import { heldBy } from '../custody.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { KeptSession, Tables } from './tables.ts';

export function openSessions(tables: Tables, clock: Clock): Sessions {
  const { sessions } = tables;
  const silence = (kept: KeptSession): number => clock.monotonicMs() - kept.beatAtMs;
  const holds = (id: SessionId): boolean => [...tables.rows.values()].some((row) => heldBy(row.handoff) === id);
  const beat = (id: SessionId): boolean => {
    const kept = sessions.get(id);
    if (kept === undefined || kept.ended) return false;
    sessions.set(id, { ...kept, beatAtMs: clock.monotonicMs() });
    return true;
  };
  return {
    async open({ id, agent, process, leaseMs }) {
      // A caller that lost the first answer calls again. An ended session stays ended.
      if (sessions.has(id)) beat(id);
      else {
        const beatAtMs = clock.monotonicMs();
        sessions.set(id, frozenCopy({ id, agent, process, groups: [], leaseMs, ended: false, beatAtMs }));
      }
    },
    beat: async (id) => beat(id),
    async running(id, groups) {
      const kept = sessions.get(id);
      if (kept !== undefined) sessions.set(id, { ...kept, groups: frozenCopy(groups) });
    },
    async list() {
      const listed = [...sessions.values()].filter((kept) => !kept.ended || holds(kept.id));
      return listed.map(({ beatAtMs, ...kept }) => ({ ...kept, silentForMs: clock.monotonicMs() - beatAtMs }));
    },
    async end(id, silentForMs) {
      const kept = sessions.get(id);
      if (kept === undefined) return true;
      const ended = kept.ended || silence(kept) >= silentForMs;
      sessions.set(id, { ...kept, ended });
      return ended;
    },
    async forget(id) {
      assert(!holds(id), 'a session is forgotten only when it holds nothing');
      if (sessions.get(id)?.ended === true) sessions.delete(id);
    },
  };
}
