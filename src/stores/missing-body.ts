import type { HandoffId } from '../domain/names.ts';
import { StoreFault } from '../foundation/store-fault.ts';

/** A record without its body cannot be shown, and "no such handoff" would be wrong. */
export function missingBody(id: HandoffId): StoreFault {
  const says = `the text of ${id} is missing: the database is damaged; baton doctor lists the damage`;
  return new StoreFault(says, 'unchanged');
}
