import type { Head, Store } from '../../stores/store.ts';

/** Whether the stored handoff has, or once had, this revision with this trail. */
export async function isEarlierRevision(store: Pick<Store, 'facts'>, { id, revision, trail }: Head): Promise<boolean> {
  const facts = await store.facts({ handoff: id, max: revision });
  return facts.some(({ fact }) => fact.revision === revision && fact.hash === trail);
}
