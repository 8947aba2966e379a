/** Every record of a store, a page at a time, with pages that fit into memory whatever the records carry. */
import type { Copy, Store } from '../../stores/store.ts';

const FIRST_PAGE = 20;
const LARGEST_PAGE = 500;
const PAGE_BYTES = 4 * 1024 * 1024;

/** All, or those after a cursor. */
export async function* allCopies(store: Store, from: string | null = null): AsyncGenerator<Copy, void, undefined> {
  let max = FIRST_PAGE;
  for (let after: string | null | undefined = from ?? undefined; after !== null;) {
    const page: Awaited<ReturnType<Store['transfer']['copies']>> = await store.transfer.copies(after ?? null, max);
    yield* page.items;
    const size = page.items.reduce((sum, { body, outcome }) => sum + body.length + (outcome?.length ?? 0), 0);
    max = size > PAGE_BYTES ? Math.max(1, Math.floor(max / 4)) : Math.min(LARGEST_PAGE, max * 2);
    after = page.next;
  }
}
