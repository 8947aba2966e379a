/** Retries, failures and loops in the chain of a leg. */
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Context } from '../context.ts';
import { factsOf } from '../handoffs/read.ts';

/** Hops are few, but a chain may be broad. */
const CHAIN_MAX = 1_000;
/** Two agents that alternate for this many legs are a loop. */
const LOOP_LEGS = 6;

/** Marks a retry that only confirms another one. It does not count. */
export const CONFIRMED = 'confirmed';

export interface ChainSoFar {
  /** The sender of the root; null: the chain begins now. */
  readonly rootSender: AgentId | null;
  readonly retries: number;
  readonly failures: number;
  /** The agents of a loop at the end of the chain. */
  readonly loop: readonly AgentId[];
}

const NOTHING_YET: ChainSoFar = { rootSender: null, retries: 0, failures: 0, loop: [] };

export async function chainSoFar(ctx: Context, leg: Handoff | null, agent: AgentId): Promise<ChainSoFar> {
  if (leg === null) return NOTHING_YET;
  const root = leg.lineage.root ?? leg.id;
  const { items } = await ctx.store.find({ by: 'chain', root, max: CHAIN_MAX });
  let retries = 0;
  let failures = 0;
  for (const { id, to, attempt } of items) {
    if (attempt === 0) continue;
    for (const fact of await factsOf(ctx, id)) {
      if (!isFailure(fact)) continue;
      failures += 1;
      if (fact.deed === 'retry' && to === agent) retries += 1;
    }
  }
  return { rootSender: items.find(({ id }) => id === root)?.from ?? null, retries, failures, loop: loopIn(items, leg) };
}

function isFailure(fact: Fact): boolean {
  return fact.deed === 'fail' || (fact.deed === 'retry' && !isConfirmation(fact));
}

export function isConfirmation({ detail }: Fact): boolean {
  return detail.includes(`"${CONFIRMED}":true`);
}

/** Checks only the path from the leg to its root, without other branches. */
function loopIn(chain: readonly Handoff[], leg: Handoff): readonly AgentId[] {
  const byId = new Map(chain.map((handoff) => [handoff.id, handoff]));
  const line: AgentId[] = [];
  for (let at: Handoff | undefined = leg; at !== undefined && line.length < LOOP_LEGS;) {
    line.push(at.to);
    at = at.lineage.parent === null ? undefined : byId.get(at.lineage.parent);
  }
  const names = [...new Set(line)];
  return line.length === LOOP_LEGS && names.length <= 2 ? names : [];
}
