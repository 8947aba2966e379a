/** Common reads of the store: one handoff with a check of rights, many by id, and all pages of a query. */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { may, type Op } from '../../domain/rights.ts';
import type { FactQuery, FactRead, Page, Query, Store, StoredHandoff } from '../../stores/store.ts';
import type { Context } from '../context.ts';

type Finds = Pick<Context, 'store'>;

export async function findHandoff({ store }: Finds, id: HandoffId): Promise<Handoff | null> {
  return (await store.find({ by: 'ids', ids: [id] })).items[0] ?? null;
}

const IDS_PAGE = 500;

/** The existing records of these ids. Each id is read once. */
export async function handoffsByIds(
  store: Pick<Store, 'find'>,
  ids: Iterable<HandoffId>,
): Promise<ReadonlyMap<HandoffId, Handoff>> {
  const found = new Map<HandoffId, Handoff>();
  const all = [...new Set(ids)];
  for (let at = 0; at < all.length; at += IDS_PAGE) {
    const { items } = await store.find({ by: 'ids', ids: all.slice(at, at + IDS_PAGE) });
    for (const handoff of items) found.set(handoff.id, handoff);
  }
  return found;
}

/** The handoff, if the principal has the right to `op`. */
export async function handoffFor(
  ctx: Finds,
  principal: Principal,
  op: Op,
  id: HandoffId,
): Promise<Result<Handoff, Refusal>> {
  const handoff = await findHandoff(ctx, id);
  if (handoff === null) return err({ code: 'no-such-handoff', id });
  const entitled = may(principal, op, handoff);
  return entitled.ok ? ok(handoff) : entitled;
}

/** `handoffFor` with body and outcome. */
export async function loadFor(
  { store }: Finds,
  principal: Principal,
  op: Op,
  id: HandoffId,
): Promise<Result<StoredHandoff, Refusal>> {
  const whole = await store.load(id);
  if (whole === null) return err({ code: 'no-such-handoff', id });
  const entitled = may(principal, op, whole.handoff);
  return entitled.ok ? ok(whole) : entitled;
}

type PagedQuery = Extract<Query, { readonly by: 'places' | 'waiting' | 'filter' }>;

/** All pages of a query in order, at most `pagesMax`. */
export async function* pagesOf(
  store: Pick<Store, 'find'>,
  query: PagedQuery,
  pagesMax = Number.POSITIVE_INFINITY,
): AsyncGenerator<Page['items'], void, undefined> {
  let after: string | null = null;
  for (let page = 0; page < pagesMax; page += 1) {
    const found: Page = await store.find(after === null ? query : { ...query, after });
    yield found.items;
    after = found.next;
    if (after === null) return;
  }
}

/** All facts in pages, up to the newest. `after`: only facts after this cursor. */
export async function* pagesOfFacts(
  store: Pick<Store, 'facts'>,
  query: FactQuery,
): AsyncGenerator<readonly FactRead[], void, undefined> {
  let { after } = query;
  for (;;) {
    const page = await store.facts(after === undefined ? query : { ...query, after });
    if (page.length > 0) yield page;
    if (page.length < query.max) return;
    after = page.at(-1)?.cursor;
  }
}
