/** Reading: one handoff whole, lists, the chain that one belongs to, and what happened. */
import { refuse, yes, type Result } from '../../foundation/result.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { may } from '../../domain/rights.ts';
import type { Page, Query, Whole } from '../../stores/store.ts';
import type { Surroundings } from '../surroundings.ts';

/** A chain is read up to here; a longer one is not one that somebody can look at. */
const CHAIN_MAX = 1_000;
const FACTS_PAGE = 500;

export async function show(
  around: Surroundings,
  principal: Principal,
  id: HandoffId,
): Promise<Result<Whole & { readonly facts: readonly Fact[] }, Refusal>> {
  const whole = await around.store.load(id);
  if (whole === null) return refuse({ code: 'no-such-handoff', id });
  const entitled = may(principal, 'read', whole.handoff);
  if (!entitled.ok) return entitled;
  return yes({ ...whole, facts: await factsOf(around, id) });
}

/** What the one who asks may not read is left out. */
export async function list(
  around: Surroundings,
  principal: Principal,
  query: Extract<Query, { by: 'filter' }>,
): Promise<Page> {
  const page = await around.store.find(query);
  return { ...page, items: page.items.filter((handoff) => may(principal, 'read', handoff).ok) };
}

/** All legs of the chain that this handoff belongs to, oldest first. */
export async function trace(
  around: Surroundings,
  principal: Principal,
  id: HandoffId,
): Promise<Result<readonly Handoff[], Refusal>> {
  const {
    items: [handoff],
  } = await around.store.find({ by: 'ids', ids: [id] });
  if (handoff === undefined) return refuse({ code: 'no-such-handoff', id });
  const entitled = may(principal, 'read', handoff);
  if (!entitled.ok) return entitled;
  const { items } = await around.store.find({ by: 'chain', root: handoff.lineage.root ?? id, max: CHAIN_MAX });
  return yes(items);
}

export async function factsOf({ store }: Surroundings, handoff: HandoffId): Promise<readonly Fact[]> {
  const facts: Fact[] = [];
  for (let after: string | undefined; ;) {
    const page = await store.facts({ handoff, max: FACTS_PAGE, ...(after === undefined ? {} : { after }) });
    facts.push(...page.map(({ fact }) => fact));
    if (page.length < FACTS_PAGE) return facts;
    after = page.at(-1)?.cursor;
  }
}
