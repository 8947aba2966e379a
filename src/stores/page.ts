import type { Handoff } from '../domain/handoff.ts';
import type { Page } from './store.ts';

/** The cursor is the last id. A last page that is exactly full is followed by an empty one. */
export function pageById(items: readonly Handoff[], max: number): Page {
  return { items, next: items.length < max ? null : (items.at(-1)?.id ?? null) };
}
