/** Artifacts that require each other could never be made, so the later one is refused. */
import type { ArtifactCard } from '../../domain/artifacts.ts';
import type { ArtifactId } from '../../domain/names.ts';

/** Limit of the search: real chains are shorter. */
const WALK_MAX = 1_000;

/** The cycle that `start` would close by requiring these, or null. */
export async function dependencyCycle(
  start: ArtifactId,
  required: readonly ArtifactId[],
  cardOf: (id: ArtifactId) => Promise<ArtifactCard | null>,
): Promise<readonly ArtifactId[] | null> {
  const cameFrom = new Map<ArtifactId, ArtifactId>();
  const open: (readonly [ArtifactId, ArtifactId])[] = required.map((id) => [id, start]);
  for (let step = open.pop(), walked = 0; step !== undefined && walked < WALK_MAX; step = open.pop(), walked += 1) {
    const [here, from] = step;
    if (here === start) return pathTo(start, from, cameFrom);
    if (cameFrom.has(here)) continue;
    cameFrom.set(here, from);
    for (const next of (await cardOf(here))?.required ?? []) open.push([next, here]);
  }
  return null;
}

function pathTo(
  start: ArtifactId,
  last: ArtifactId,
  cameFrom: ReadonlyMap<ArtifactId, ArtifactId>,
): readonly ArtifactId[] {
  const path = [start];
  for (let at = last; at !== start;) {
    path.unshift(at);
    at = cameFrom.get(at) ?? start;
  }
  return [start, ...path];
}
