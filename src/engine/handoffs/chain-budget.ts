import type { Fact } from '../../domain/facts.ts';
import { chainUse, exhausted, needsFacts } from '../../domain/chain-budget.ts';
import type { Lineage } from '../../domain/handoff.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { may } from '../../domain/rights.ts';
import type { Context } from '../context.ts';
import { factsOf } from './read.ts';

/** A chain with more legs than this is over any budget that names a number. */
const CHAIN_MAX = 10_000;
const SHOWN_MAX = 20;

/** Null: the chain may get another handoff. */
export async function chainRefusal(
  ctx: Context,
  principal: Principal,
  { root, hops }: Lineage,
  /** New handoffs of the chain in the same call. */
  beside = 0,
): Promise<Extract<Refusal, { code: 'chain-exhausted' }> | null> {
  const budget = ctx.rules.chainBudget;
  if (root === null || Object.keys(budget).length === 0) return null;
  const { items } = await ctx.store.find({ by: 'chain', root, max: CHAIN_MAX });
  const facts: Fact[] = [];
  if (needsFacts(budget)) {
    for (const { id, attempt } of items) if (attempt > 0) facts.push(...(await factsOf(ctx, id)));
  }
  const use = chainUse(items, facts, hops, ctx.store.nowMs());
  const over = exhausted(budget, { ...use, handoffs: use.handoffs + beside });
  if (over === null) return null;
  const chain = items.filter((handoff) => may(principal, 'read', handoff).ok).map(({ id }) => id);
  return { code: 'chain-exhausted', root, ...over, chain: chain.slice(-SHOWN_MAX) };
}
