import { isOpenSession } from '../../domain/agent-session.ts';
import type { AgentSessions } from '../store.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { Tables } from './tables.ts';

export function openAgentSessions({ agents }: Tables): AgentSessions {
  return {
    async add(session) {
      const known = [...agents.values()].find(({ key }) => key === session.key);
      if (known !== undefined) return known;
      const added = frozenCopy({ ...session, id: agents.size + 1, revision: 1 });
      agents.set(added.id, added);
      return added;
    },
    load: async (id) => agents.get(id) ?? null,
    async list({ open, before = Infinity, max }) {
      const newestFirst = [...agents.values()].toReversed();
      return newestFirst.filter((each) => each.id < before && (open !== true || isOpenSession(each))).slice(0, max);
    },
    async replace(session) {
      if (agents.get(session.id)?.revision !== session.revision) return null;
      const next = frozenCopy({ ...session, revision: session.revision + 1 });
      agents.set(next.id, next);
      return next;
    },
  };
}
