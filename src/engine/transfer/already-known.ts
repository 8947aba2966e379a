import type { Head, Store } from '../../stores/store.ts';

/** Whether the handoff of that name here is, or once was, exactly this. */
export async function isOfItsPast(store: Pick<Store, 'facts'>, { id, revision, trail }: Head): Promise<boolean> {
  const facts = await store.facts({ handoff: id, max: revision });
  return facts.some(({ fact }) => fact.revision === revision && fact.hash === trail);
}
