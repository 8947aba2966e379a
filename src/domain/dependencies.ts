/** Dependencies: other handoffs that must be completed first. They need not exist yet. */
import { FINAL_STATES, type State } from './lifecycle.ts';
import type { HandoffId } from './names.ts';

/** What happens to a handoff when a dependency ends without being completed. */
export const ON_DEPENDENCY_FAILURE = ['wait', 'fail', 'run'] as const;
export type OnDependencyFailure = (typeof ON_DEPENDENCY_FAILURE)[number];

/** The final states other than `completed`. */
export const UNSUCCESSFUL_STATES: readonly State[] = FINAL_STATES.filter((state) => state !== 'completed');

export function endedUnsuccessfully(state: State | undefined): boolean {
  return state !== undefined && UNSUCCESSFUL_STATES.includes(state);
}

/** Limit of the search. A longer chain of dependencies is refused as if it were a cycle. */
const WALK_MAX = 10_000;

/** State of each dependency; null: it does not exist yet. */
export type DependencyStates = ReadonlyMap<HandoffId, State | null>;

export function allMet(states: DependencyStates): boolean {
  return [...states.values()].every((state) => state === 'completed');
}

/**
 * The cycle that `start` would close by waiting for `dependsOn`, or null. A dependency need not exist yet, so the handoff
 * that is made later can close the cycle.
 */
export function findCycle(
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
