/** Read operations: one handoff, lists, chains, and the facts of a handoff. */
import { ok, type Result } from '../../foundation/result.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { readAgentId, readHandoffId, type AgentId, type HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { may, readScopeOf, type ReadScope } from '../../domain/rights.ts';
import type { FactRead, Page, Query, StateCounts, HandoffFilter, StoredHandoff } from '../../stores/store.ts';
import type { Context } from '../context.ts';
import { findHandoff, handoffFor, loadFor, pagesOfFacts } from './find.ts';
import { wholeIdOf } from './short-id.ts';
import { withDependencyResults } from './dependency-results.ts';

/** A longer chain is truncated. */
const CHAIN_MAX = 1_000;
const FACTS_PAGE = 500;
/** Limits for handoffs that are shown beside a chain. */
const DEPENDENCIES_DEEP = 16;
const DEPENDENTS_OF_MAX = 50;
const DEPENDENTS_MAX = 50;

export async function show(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
): Promise<Result<StoredHandoff & { readonly facts: readonly Fact[] }, Refusal>> {
  const whole = await loadFor(ctx, principal, 'read', id);
  if (!whole.ok) return whole;
  return ok({ ...(await withDependencyResults(ctx, whole.value)), facts: await factsOf(ctx, id) });
}

/** The store filters what the principal may not read, so that pages and cursors reveal nothing of it. */
export async function list(
  ctx: Context,
  principal: Principal,
  query: Omit<Extract<Query, { by: 'filter' }>, 'visibleTo'>,
): Promise<Page> {
  const scope = readScopeOf(principal);
  if (scope === 'nothing') return { items: [], next: null };
  const named = await namedBy(ctx, principal, query.text);
  if (named !== null) return { items: [named], next: null };
  return ctx.store.find({ ...searched(query), ...visibleIn(scope) });
}

/** The number of handoffs in all pages of a list, by state. */
export async function count(ctx: Context, principal: Principal, wanted: HandoffFilter): Promise<StateCounts> {
  const scope = readScopeOf(principal);
  if (scope === 'nothing') return {};
  const named = await namedBy(ctx, principal, wanted.text);
  if (named !== null) return { [named.state]: 1 };
  return ctx.store.count({ ...searched(wanted), ...visibleIn(scope) });
}

/** A search text that is an id finds that handoff, whatever the other filters. */
async function namedBy(ctx: Context, principal: Principal, text: string | undefined): Promise<Handoff | null> {
  const given = text === undefined ? null : readHandoffId(text.trim());
  if (given === null) return null;
  // Words such as "facade" have the form of a short id too: nearly every short id has a digit.
  const whole = /\d/.test(given) ? await wholeIdOf(ctx, principal, given) : null;
  const id = whole?.ok === true ? whole.value : given;
  const handoff = await findHandoff(ctx, id);
  return handoff !== null && may(principal, 'read', handoff).ok ? handoff : null;
}

/** A word such as `@qa` filters by agent. */
function searched<Asked extends HandoffFilter>(asked: Asked): Asked {
  const { text, ...others } = asked;
  const words = (text ?? '').split(/\s+/);
  const name = asked.agent === undefined ? words.find((word) => word.startsWith('@')) : undefined;
  const agent = name === undefined ? null : readAgentId(name);
  if (agent === null) return asked;
  const rest = words.filter((word) => word !== name && word !== '').join(' ');
  return { ...(others as Asked), agent, ...(rest === '' ? {} : { text: rest }) };
}

function visibleIn(scope: Exclude<ReadScope, 'nothing'>): { readonly visibleTo?: AgentId } {
  return scope === 'everything' ? {} : { visibleTo: scope.party };
}

/**
 * The legs of the chain that this handoff belongs to, oldest first, then what they depend on and what waits for them.
 * Legs that the principal may not read are left out: a party of one leg has no right to read the others.
 */
export async function trace(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
): Promise<Result<readonly Handoff[], Refusal>> {
  const handoff = await handoffFor(ctx, principal, 'read', id);
  if (!handoff.ok) return handoff;
  const scope = readScopeOf(principal);
  if (scope === 'nothing') return ok([]);
  const root = handoff.value.lineage.root ?? id;
  const { items } = await ctx.store.find({ by: 'chain', root, max: CHAIN_MAX, ...visibleIn(scope) });
  return ok([...items, ...(await connected(ctx, principal, items))]);
}

/** Handoffs of other chains that these wait for, directly or through others, and those that wait for these. */
async function connected(
  { store }: Context,
  principal: Principal,
  chain: readonly Handoff[],
): Promise<readonly Handoff[]> {
  const known = new Set(chain.map(({ id }) => id));
  const found: Handoff[] = [];
  const add = (items: readonly Handoff[]): readonly Handoff[] => {
    const fresh = items.filter((handoff) => !known.has(handoff.id) && may(principal, 'read', handoff).ok);
    for (const handoff of fresh) known.add(handoff.id);
    found.push(...fresh);
    return fresh;
  };
  let open = chain;
  for (let depth = 0; open.length > 0 && depth < DEPENDENCIES_DEEP; depth += 1) {
    const ids = [...new Set(open.flatMap(({ terms }) => terms.dependsOn))].filter((id) => !known.has(id));
    open = ids.length === 0 ? [] : add((await store.find({ by: 'ids', ids })).items);
  }
  for (const { id, state } of chain.slice(0, DEPENDENTS_OF_MAX)) {
    if (state === 'completed') continue;
    const { items } = await store.find({ by: 'waiting', on: { named: id }, max: DEPENDENTS_MAX });
    add(items.filter(({ terms }) => terms.dependsOn.includes(id)));
  }
  return found;
}

export async function factsOf(ctx: Context, handoff: HandoffId): Promise<readonly Fact[]> {
  return (await factsReadOf(ctx, handoff)).map(({ fact }) => fact);
}

/** With the cursor of each fact. */
export async function factsReadOf({ store }: Context, handoff: HandoffId): Promise<readonly FactRead[]> {
  const facts: FactRead[] = [];
  for await (const page of pagesOfFacts(store, { handoff, max: FACTS_PAGE })) facts.push(...page);
  return facts;
}
