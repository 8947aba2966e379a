/** What a handoff waits for: other handoffs that must be completed, known already or still to come. */
import { FINAL_STATES, type State } from './lifecycle.ts';
import type { HandoffId } from './names.ts';

/** What becomes of a handoff when one that it waits for ends without being completed. */
export const ON_DEPENDENCY_FAILURE = ['wait', 'fail', 'run'] as const;
export type OnDependencyFailure = (typeof ON_DEPENDENCY_FAILURE)[number];

/** The final states of what was not completed. */
export const BAD_ENDS: readonly State[] = FINAL_STATES.filter((state) => state !== 'completed');

export function hasEndedBadly(state: State | undefined): boolean {
  return state !== undefined && BAD_ENDS.includes(state);
}

/** The walk ends here; a chain of dependencies this long is refused as if it were a ring. */
const WALK_MAX = 10_000;

/** State of each dependency; null: not there yet. */
export type DependencyStates = ReadonlyMap<HandoffId, State | null>;

export function allMet(states: DependencyStates): boolean {
  return [...states.values()].every((state) => state === 'completed');
}

/**
 * The ring that `start` would close by waiting for `dependsOn`, or null. A dependency may name what does not exist yet,
 * so the ring can be closed by the later of the two.
 */
export function ringThrough(
  start: HandoffId,
  dependsOn: readonly HandoffId[],
  edgesOf: (id: HandoffId) => readonly HandoffId[],
): readonly HandoffId[] | null {
  const cameFrom = new Map<HandoffId, HandoffId>();
  const open: HandoffId[] = [];
  for (const id of dependsOn) {
    if (id === start) return [start, start];
    cameFrom.set(id, start);
    open.push(id);
  }
  for (let walked = 0; open.length > 0; walked += 1) {
    const here = open.pop() as HandoffId;
    if (walked >= WALK_MAX) return pathTo(start, here, cameFrom);
    for (const next of edgesOf(here)) {
      if (next === start) return [...pathTo(start, here, cameFrom), start];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, here);
      open.push(next);
    }
  }
  return null;
}

function pathTo(start: HandoffId, end: HandoffId, cameFrom: ReadonlyMap<HandoffId, HandoffId>): HandoffId[] {
  const path = [end];
  for (let at = end; at !== start;) {
    const before = cameFrom.get(at);
    if (before === undefined) break;
    path.unshift(before);
    at = before;
  }
  return path;
}
