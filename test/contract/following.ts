import { setImmediate as breath } from 'node:timers/promises';
import type { Fact } from '../../src/domain/facts.ts';
import type { Store } from '../../src/stores/store.ts';

/** Few, so that the reader is often in the middle of what is being written. */
const STEP = 7;

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
