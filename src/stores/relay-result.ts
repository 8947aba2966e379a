import { present } from '../foundation/assert.ts';
import type { Handoff } from '../domain/handoff.ts';
import type { Relayed } from './store.ts';

/** A relay is remembered as one list: what was changed stands first. */
export function relayedOf([changed, ...inserted]: readonly Handoff[]): Relayed {
  return { changed: present(changed, 'a relay changes one'), inserted };
}
