/**
 * How much may be open per agent, in both directions. A limit given for an agent counts everything that is open; the
 * default for all others counts documents only, because a queue without limits is what a queue is for.
 */
import type { Handoff, Kind } from './handoff.ts';
import { isFinal } from './lifecycle.ts';
import type { AgentId } from './names.ts';

export type Direction = 'outgoing' | 'incoming';

export interface AgentLimit {
  readonly outgoingMax: number | null;
  readonly incomingMax: number | null;
}

export interface Limits {
  readonly agents: ReadonlyMap<AgentId, AgentLimit>;
  readonly everyone: AgentLimit;
}

export const NO_LIMITS: Limits = { agents: new Map(), everyone: { outgoingMax: null, incomingMax: null } };

/** One counter that must have room before a handoff may count. */
export interface LimitSlot {
  readonly agent: AgentId;
  readonly direction: Direction;
  readonly max: number;
  /** Which handoffs this counter counts. */
  readonly counts: 'all' | 'documents';
}

/** Everything that is open takes a place, except what is itself waiting for one. */
export function usesCapacity(handoff: Pick<Handoff, 'state' | 'blockedOn'>): boolean {
  return !isFinal(handoff.state) && handoff.blockedOn?.reason !== 'place';
}

/** Ordered by agent, then direction: whoever locks counters locks them in this order and never deadlocks. */
export function slotsNeeded(limits: Limits, from: AgentId, to: AgentId, kind: Kind): readonly LimitSlot[] {
  const places = [place(limits, from, 'outgoing', kind), place(limits, to, 'incoming', kind)];
  return places
    .filter((each) => each !== null)
    .toSorted((a, b) => (a.agent === b.agent ? compare(a.direction, b.direction) : compare(a.agent, b.agent)));
}

function place(limits: Limits, agent: AgentId, direction: Direction, kind: Kind): LimitSlot | null {
  const own = limits.agents.get(agent);
  const ownMax = own === undefined ? null : maxOf(own, direction);
  if (ownMax !== null) return { agent, direction, max: ownMax, counts: 'all' };
  const max = maxOf(limits.everyone, direction);
  return max === null || kind !== 'document' ? null : { agent, direction, max, counts: 'documents' };
}

function maxOf(limit: AgentLimit, direction: Direction): number | null {
  return direction === 'outgoing' ? limit.outgoingMax : limit.incomingMax;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
