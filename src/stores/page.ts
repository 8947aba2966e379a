import type { Handoff } from '../domain/handoff.ts';
import type { Page } from './store.ts';

/** Goes on after the last one; a page that happens to be just full is followed by an empty one. */
export function pageById(items: readonly Handoff[], max: number): Page {
  return { items, next: items.length < max ? null : (items.at(-1)?.id ?? null) };
}
