/**
 * The attempts of agents with their times and ends, and the results of each agent. Made from facts only.
 */
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';

const KEPT_MAX = 5_000;
const DURATIONS_MAX = 500;
const DAY_MS = 24 * 60 * 60_000;

export interface Attempt {
  readonly handoff: HandoffId;
  readonly agent: AgentId;
  readonly title: string | null;
  readonly number: number;
  readonly from: number;
  /** Null while the attempt runs. */
  until: number | null;
  /** The fact that ended the attempt. */
  end: string | null;
}

export interface AgentRecord {
  /** Attempts that ended within a day. */
  readonly delivered: number;
  readonly failed: number;
  readonly p95Ms: number | null;
  readonly lastSeenAt: number | null;
}

/** Ends of an attempt that count neither as delivered nor as failed. */
const GIVEN_BACK = new Set(['release', 'block', 'cancel', 'supersede']);

export function openAttempts() {
  const all: Attempt[] = [];
  const running = new Map<HandoffId, Attempt>();
  const lastSeen = new Map<AgentId, number>();
  return {
    addFact: (fact: Fact, handoff: Handoff): void => {
      const { to: agent, title } = handoff;
      if (fact.by === `@${agent}` || fact.by === agent) lastSeen.set(agent, fact.at);
      const before = running.get(fact.handoff);
      if (before !== undefined && fact.to !== 'accepted') {
        before.until = fact.at;
        before.end = fact.deed;
        running.delete(fact.handoff);
      }
      if (fact.to !== 'accepted' || fact.from === 'accepted') return;
      const begun: Attempt = {
        handoff: fact.handoff,
        agent,
        title,
        number: fact.attempt,
        from: fact.at,
        until: null,
        end: null,
      };
      running.set(fact.handoff, begun);
      all.push(begun);
      if (all.length > KEPT_MAX * 1.2) all.splice(0, all.length - KEPT_MAX);
    },
    all: (): readonly Attempt[] => all,
    recordOf: (agent: AgentId): AgentRecord => {
      const sinceMs = (all.at(-1)?.from ?? 0) - DAY_MS;
      const own = all.filter((each) => each.agent === agent && each.end !== null && (each.until ?? 0) >= sinceMs);
      const counted = own.filter(({ end }) => !GIVEN_BACK.has(end ?? ''));
      const delivered = counted.filter(({ end }) => end === 'deliver').length;
      const lengths = counted
        .slice(-DURATIONS_MAX)
        .map(({ from, until }) => (until ?? from) - from)
        .toSorted((a, b) => a - b);
      return {
        delivered,
        failed: counted.length - delivered,
        p95Ms: lengths[Math.ceil(lengths.length * 0.95) - 1] ?? null,
        lastSeenAt: lastSeen.get(agent) ?? null,
      };
    },
  };
}
