/** Everything that happens, in order, for whoever listens: read from the trail, so that nothing is missed or doubled. */
import type { Fact } from '../domain/facts.ts';
import type { Principal } from '../domain/principal.ts';
import { may } from '../domain/rights.ts';
import { POLL_MS, type FactRead, type Store } from '../stores/store.ts';
import type { Surroundings } from '../engine/surroundings.ts';
import { factView } from '../faces/shared/views.ts';
import type { FeedItem, FeedOptions } from './baton.ts';

const PAGE = 500;

export async function* feedOf(
  { store, timers }: Surroundings,
  whoAsks: () => Promise<Principal>,
  { after, signal }: FeedOptions,
): AsyncIterable<FeedItem> {
  const principal = await whoAsks();
  const over = signal ?? new AbortController().signal;
  let cursor = after ?? (await store.facts({ newest: true, max: 1 }))[0]?.cursor ?? '';
  while (!over.aborted) {
    const page = await store.facts({ max: PAGE, ...(cursor === '' ? {} : { after: cursor }) });
    const mayRead = await readableBy(principal, store, page);
    for (const { fact, cursor: at } of page) {
      if (over.aborted) return;
      cursor = at;
      if (mayRead(fact)) yield { cursor: at, fact: factView(fact) };
    }
    if (page.length < PAGE) await timers.sleep(POLL_MS, over);
  }
}

/** The operator reads everything; others what is theirs. */
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
