/** Reads all records of a store in pages that fit into memory, however large the records are. */
import type { CopiesPage, Copy, DamagedRecord, Store } from '../../stores/store.ts';

const FIRST_PAGE = 20;
const LARGEST_PAGE = 500;
const PAGE_BYTES = 4 * 1024 * 1024;

/** All records, or those after a cursor. Damaged records are reported to `onDamaged` and skipped. */
export async function* allCopies(
  store: Store,
  from: string | null = null,
  onDamaged: (record: DamagedRecord) => void = () => undefined,
): AsyncGenerator<Copy, void, undefined> {
  let max = FIRST_PAGE;
  for (let after: string | null | undefined = from ?? undefined; after !== null;) {
    const page: CopiesPage = await store.transfer.copies(after ?? null, max);
    for (const record of page.damaged) onDamaged(record);
    yield* page.items;
    const size = page.items.reduce((sum, { body, outcome }) => sum + body.length + (outcome?.length ?? 0), 0);
    max = size > PAGE_BYTES ? Math.max(1, Math.floor(max / 4)) : Math.min(LARGEST_PAGE, max * 2);
    after = page.next;
  }
}
