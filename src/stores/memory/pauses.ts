import type { Clock } from '../../foundation/clock.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Pauses } from '../pause-store.ts';
import type { Tables } from './tables.ts';

export function openPauses(tables: Tables, clock: Clock): Pauses {
  return {
    async begin(pause) {
      if (isPaused(tables, pause.agent)) return null;
      const begun = { ...pause, at: clock.nowMs(), endedAt: null, endedBy: null };
      tables.pauses.push(begun);
      return begun;
    },
    async end(agent, by) {
      const place = activePauseIndex(tables, agent);
      const pause = tables.pauses[place];
      if (pause === undefined) return null;
      const ended = { ...pause, endedAt: clock.nowMs(), endedBy: by };
      tables.pauses[place] = ended;
      return ended;
    },
    isPaused: async (agent) => isPaused(tables, agent),
    async list(max) {
      const newest = tables.pauses.toReversed();
      const isOver = ({ endedAt }: (typeof newest)[number]): boolean => endedAt !== null;
      return [...newest.filter((each) => !isOver(each)), ...newest.filter(isOver)].slice(0, max);
    },
  };
}

export function isPaused(tables: Tables, agent: AgentId): boolean {
  return activePauseIndex(tables, agent) !== -1;
}

function activePauseIndex({ pauses }: Tables, agent: AgentId): number {
  return pauses.findIndex((pause) => pause.agent === agent && pause.endedAt === null);
}
