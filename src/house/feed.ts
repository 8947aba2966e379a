/** Everything that happens, in order, for whoever listens: read from the trail, so that nothing is missed or doubled. */
import { POLL_MS } from '../stores/store.ts';
import type { Surroundings } from '../engine/surroundings.ts';
import { factView } from '../faces/shared/views.ts';
import type { FeedItem, FeedOptions } from './baton.ts';

const PAGE = 500;

export async function* feedOf(
  { store, timers }: Surroundings,
  { after, signal }: FeedOptions,
): AsyncIterable<FeedItem> {
  const over = signal ?? new AbortController().signal;
  let cursor = after ?? (await store.facts({ newest: true, max: 1 }))[0]?.cursor ?? '';
  while (!over.aborted) {
    const page = await store.facts({ max: PAGE, ...(cursor === '' ? {} : { after: cursor }) });
    for (const { fact, cursor: at } of page) {
      if (over.aborted) return;
      cursor = at;
      yield { cursor: at, fact: factView(fact) };
    }
    if (page.length < PAGE) await timers.sleep(POLL_MS, over);
  }
}
