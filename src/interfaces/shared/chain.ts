/** A chain of legs as a tree. A retry stands below the leg that it repeats. */
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';

export interface Leg {
  readonly handoff: Handoff;
  readonly depth: number;
  /** For each level from the root down, whether a sibling follows. */
  readonly hasNextSibling: readonly boolean[];
}

/** In the order in which a tree is printed. A leg without a known parent stands at the root. */
export function legsOf(handoffs: readonly Handoff[]): readonly Leg[] {
  const known = new Set(handoffs.map(({ id }) => id));
  const below = new Map<HandoffId | null, Handoff[]>();
  for (const handoff of handoffs) {
    const above = aboveOf(handoff, known);
    below.set(above, [...(below.get(above) ?? []), handoff]);
  }
  const legs: Leg[] = [];
  const visit = (above: HandoffId | null, hasNextSibling: readonly boolean[]): void => {
    const level = below.get(above) ?? [];
    for (const [index, handoff] of level.entries()) {
      const mine = [...hasNextSibling, index < level.length - 1];
      legs.push({ handoff, depth: hasNextSibling.length, hasNextSibling: mine });
      visit(handoff.id, mine);
    }
  };
  visit(null, []);
  return legs;
}

function aboveOf({ lineage }: Handoff, known: ReadonlySet<HandoffId>): HandoffId | null {
  const { parent, retryOf } = lineage;
  if (parent !== null && known.has(parent)) return parent;
  return retryOf !== null && known.has(retryOf) ? retryOf : null;
}
