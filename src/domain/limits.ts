/**
 * How many handoffs of an agent may be open, per direction. A limit for a named agent counts all open handoffs. The
 * default for all other agents counts documents only, because a queue should take any number.
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

/** Call this each time: the policy may change the limits. */
export function hasNoLimits({ agents, everyone }: Limits): boolean {
  return agents.size === 0 && everyone.incomingMax === null && everyone.outgoingMax === null;
}

/** One counter that must have room for the handoff. */
export interface LimitSlot {
  readonly agent: AgentId;
  readonly direction: Direction;
  readonly max: number;
  /** Which handoffs count. */
  readonly counts: 'all' | 'documents';
}

/** Every open handoff uses capacity, except one that waits for capacity. */
export function usesCapacity(handoff: Pick<Handoff, 'state' | 'blockedOn'>): boolean {
  return !isFinal(handoff.state) && handoff.blockedOn?.reason !== 'place';
}

/** Ordered by agent, then direction: all stores lock counters in this order, which prevents deadlocks. */
export function slotsNeeded(limits: Limits, from: AgentId, to: AgentId, kind: Kind): readonly LimitSlot[] {
  return [slotOf(limits, from, 'outgoing', kind), slotOf(limits, to, 'incoming', kind)]
    .filter((each) => each !== null)
    .toSorted((a, b) => (`${a.agent} ${a.direction}` < `${b.agent} ${b.direction}` ? -1 : 1));
}

function slotOf(limits: Limits, agent: AgentId, direction: Direction, kind: Kind): LimitSlot | null {
  const ownMax = limits.agents.get(agent)?.[`${direction}Max`] ?? null;
  if (ownMax !== null) return { agent, direction, max: ownMax, counts: 'all' };
  const max = limits.everyone[`${direction}Max`];
  return max === null || kind !== 'document' ? null : { agent, direction, max, counts: 'documents' };
}
