/** Streams all facts in order. They are read from the trail, so nothing is missed or repeated. */
import type { Fact } from '../domain/facts.ts';
import type { Principal } from '../domain/principal.ts';
import { may } from '../domain/rights.ts';
import { laterCursor, type FactFilter, type FactRead, type Store } from '../stores/store.ts';
import type { Context } from './context.ts';
import { factReaderOf } from './fact-reader.ts';

const PAGE = 500;

export interface FollowOptions extends FactFilter {
  /** The cursor of the last fact that was read. Empty: from the first fact. Absent: from now on. */
  readonly after?: string;
  readonly signal: AbortSignal;
}

/** The facts that the principal may read, until the signal is aborted. */
export async function* followFacts(
  ctx: Context,
  principal: Principal,
  { after, signal, ...filter }: FollowOptions,
): AsyncIterable<FactRead> {
  const { store } = ctx;
  const only = Object.keys(filter).length === 0 ? {} : { only: filter };
  let cursor = after ?? (await store.facts({ newest: true, max: 1 }))[0]?.cursor ?? '';
  const reader = factReaderOf(ctx);
  let subscription = await reader.subscribe(filter);
  const wake = (): void => subscription.end();
  signal.addEventListener('abort', wake, { once: true });
  try {
    while (!signal.aborted) {
      const page = await store.facts({ max: PAGE, ...only, ...(cursor === '' ? {} : { after: cursor }) });
      const mayRead = await readableBy(principal, store, page);
      for (const read of page) {
        if (signal.aborted) return;
        cursor = read.cursor;
        if (mayRead(read.fact)) yield read;
      }
      if (page.length === PAGE) continue;
      await subscription.news;
      cursor = laterCursor(cursor, subscription.passed);
      // Subscribed before the old one ends, because the reader stops without subscriptions.
      const next = await reader.subscribe(filter);
      subscription.end();
      subscription = next;
    }
  } finally {
    signal.removeEventListener('abort', wake);
    subscription.end();
  }
}

/** The newest facts that the principal may read, oldest first. */
export async function newestFacts({ store }: Context, principal: Principal, max: number): Promise<readonly FactRead[]> {
  const page = await store.facts({ newest: true, max: principal.kind === 'agent' ? Math.max(max, PAGE) : max });
  const mayRead = await readableBy(principal, store, page);
  return page.filter(({ fact }) => mayRead(fact)).slice(-max);
}

/** The operator may read everything; agents only facts of their own handoffs. */
async function readableBy(
  principal: Principal,
  store: Store,
  page: readonly FactRead[],
): Promise<(fact: Fact) => boolean> {
  if (principal.kind !== 'agent' || page.length === 0) return () => true;
  const { items } = await store.find({ by: 'ids', ids: [...new Set(page.map(({ fact }) => fact.handoff))] });
  const readable = new Set(items.filter((handoff) => may(principal, 'read', handoff).ok).map(({ id }) => id));
  return ({ handoff }) => readable.has(handoff);
}
