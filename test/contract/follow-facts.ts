import { setImmediate as breath } from 'node:timers/promises';
import type { Fact } from '../../src/domain/facts.ts';
import type { FactRead, Store } from '../../src/stores/store.ts';
import { ALL } from './store-checks.ts';

/** Few, so that the reader is often in the middle of what is being written. */
const STEP = 7;

/**
 * One page of the feed, once it holds that many facts. PostgreSQL holds back what is newer than an open transaction of any
 * database of its server, and the other tests have theirs there.
 */
export async function feedOf(store: Store, count: number, after?: string): Promise<readonly FactRead[]> {
  for (;;) {
    const page = await store.facts({ max: ALL, ...(after === undefined ? {} : { after }) });
    if (page.length >= count) return page;
    await breath();
  }
}

/** Reads along with a cursor, as the live feed does, until it has seen that many. */
export async function followFacts(store: Store, count: number): Promise<readonly Fact[]> {
  const seen: Fact[] = [];
  let after: string | undefined;
  while (seen.length < count) {
    const read = await store.facts({ max: STEP, ...(after === undefined ? {} : { after }) });
    seen.push(...read.map((each) => each.fact));
    after = read.at(-1)?.cursor ?? after;
    await breath();
  }
  return seen;
}
