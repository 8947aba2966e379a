import { present } from '../foundation/assert.ts';
import type { Handoff } from '../domain/handoff.ts';
import type { Relayed } from './store.ts';

/** A relay is stored as one list: the changed handoff first. */
export function relayedOf([changed, ...inserted]: readonly Handoff[]): Relayed {
  return { changed: present(changed, 'a relay changes one'), inserted };
}
