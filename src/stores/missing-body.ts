import type { HandoffId } from '../domain/names.ts';
import { StoreFault } from '../foundation/store-fault.ts';

/** For a record whose body is gone: it cannot be shown, and saying that there is no such handoff would be untrue. */
export function missingText(id: HandoffId): StoreFault {
  const says = `the text of ${id} is missing from the database, which is damaged: baton doctor says what else is`;
  return new StoreFault(says, 'unchanged');
}
