/** Everything that happens, in order: read from the trail, so that nothing is missed or doubled. */
import type { Fact } from '../domain/facts.ts';
import type { Principal } from '../domain/principal.ts';
import { may } from '../domain/rights.ts';
import { POLL_MS, type FactRead, type Store } from '../stores/store.ts';
import type { Context } from './context.ts';

const PAGE = 500;

export interface FollowOptions {
  /** The cursor of the last fact that was read; an empty text is the very beginning. Without: from now on. */
  readonly after?: string;
  readonly signal: AbortSignal;
}

/** The facts that the principal may read, until the signal is aborted. */
export async function* followFacts(
  { store, timers }: Context,
  principal: Principal,
  { after, signal }: FollowOptions,
): AsyncIterable<FactRead> {
  let cursor = after ?? (await store.facts({ newest: true, max: 1 }))[0]?.cursor ?? '';
  while (!signal.aborted) {
    const page = await store.facts({ max: PAGE, ...(cursor === '' ? {} : { after: cursor }) });
    const mayRead = await readableBy(principal, store, page);
    for (const read of page) {
      if (signal.aborted) return;
      cursor = read.cursor;
      if (mayRead(read.fact)) yield read;
    }
    if (page.length < PAGE) await timers.sleep(POLL_MS, signal);
  }
}

/** The newest of them, oldest first. Of facts that the principal may not read, none takes a place. */
export async function newestFacts({ store }: Context, principal: Principal, max: number): Promise<readonly FactRead[]> {
  const page = await store.facts({ newest: true, max: principal.kind === 'agent' ? Math.max(max, PAGE) : max });
  const mayRead = await readableBy(principal, store, page);
  return page.filter(({ fact }) => mayRead(fact)).slice(-max);
}

/** The operator reads everything; agents read what is theirs. */
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
