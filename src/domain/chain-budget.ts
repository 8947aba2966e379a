/** Limits for one chain of handoffs, so that agents cannot keep each other busy forever. */
import { MINUTE_MS } from './duration.ts';
import { detailIn } from './fact-detail-text.ts';
import type { Fact } from './facts.ts';
import type { Handoff } from './handoff.ts';

/** Absent: no limit. */
export interface ChainBudget {
  /** Legs between the root and the newest handoff. */
  readonly hops?: number;
  readonly handoffs?: number;
  readonly attempts?: number;
  /** Total time during which agents held handoffs of the chain. */
  readonly minutes?: number;
  /** US dollars, as agents report them. */
  readonly cost?: number;
}

export type ChainUse = Required<ChainBudget>;

export interface Exhausted {
  readonly what: keyof ChainBudget;
  readonly used: number;
  readonly max: number;
}

/** Whether the budget limits time or cost. Only then the facts have to be read. */
export function needsFacts({ minutes, cost }: ChainBudget): boolean {
  return minutes !== undefined || cost !== undefined;
}

/** `hops` of the leg that is to be added. */
export function chainUse(chain: readonly Handoff[], facts: readonly Fact[], hops: number, nowMs: number): ChainUse {
  let heldMs = 0;
  let cost = 0;
  const heldSince = new Map<string, number>();
  for (const fact of facts) {
    const { handoff, from, to, at } = fact;
    const since = heldSince.get(handoff);
    if (from === 'accepted' && to !== 'accepted' && since !== undefined) {
      heldMs += at - since;
      heldSince.delete(handoff);
    }
    if (to === 'accepted' && from !== 'accepted') heldSince.set(handoff, at);
    cost += costIn(fact);
  }
  for (const since of heldSince.values()) heldMs += Math.max(0, nowMs - since);
  return {
    hops,
    handoffs: chain.length,
    attempts: chain.reduce((sum, { attempt }) => sum + attempt, 0),
    minutes: heldMs / MINUTE_MS,
    cost,
  };
}

/** The cost of an attempt, as its agent reports it. */
function costIn(fact: Fact): number {
  const { agent } = detailIn(fact) as { readonly agent?: { readonly costUsd?: unknown } };
  const cost = agent?.costUsd;
  return typeof cost === 'number' && Number.isFinite(cost) && cost > 0 ? cost : 0;
}

/** The first part of the budget that has no room for one more handoff; null: there is room. */
export function exhausted(budget: ChainBudget, use: ChainUse): Exhausted | null {
  for (const what of ['hops', 'handoffs', 'attempts', 'minutes', 'cost'] as const) {
    const max = budget[what];
    const isOver = max !== undefined && (what === 'hops' ? use.hops > max : use[what] >= max);
    if (isOver) return { what, used: use[what], max };
  }
  return null;
}
