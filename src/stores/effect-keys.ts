/** The keys of all effects of one handoff lie between these two: they begin with its id and a colon. */
import type { HandoffId } from '../domain/names.ts';

export function effectKeysOf(id: HandoffId): readonly [after: string, before: string] {
  return [`${id}:`, `${id};`];
}
