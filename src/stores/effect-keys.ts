/** The range of the keys of all effects of one handoff: each begins with its id and a colon. */
import type { HandoffId } from '../domain/names.ts';

export function effectKeysOf(id: HandoffId): readonly [after: string, before: string] {
  return [`${id}:`, `${id};`];
}
