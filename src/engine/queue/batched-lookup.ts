/** One query for all records that are requested in the same turn of the event loop: after a shared commit there are many. */
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Store } from '../../stores/store.ts';
import { handoffsByIds } from '../handoffs/find.ts';

const PAGE = 200;

export function batchedLookup(store: Pick<Store, 'find'>): (id: HandoffId) => Promise<Handoff | null> {
  let batch: { readonly ids: Set<HandoffId>; readonly found: Promise<ReadonlyMap<HandoffId, Handoff>> } | null = null;

  const begin = (): NonNullable<typeof batch> => {
    const ids = new Set<HandoffId>();
    const load = async (): Promise<ReadonlyMap<HandoffId, Handoff>> => {
      // Later callers need a newer answer.
      batch = null;
      return handoffsByIds(store, ids);
    };
    return { ids, found: Promise.resolve().then(load) };
  };

  return async (id) => {
    if (batch === null || batch.ids.size >= PAGE) batch = begin();
    batch.ids.add(id);
    return (await batch.found).get(id) ?? null;
  };
}
