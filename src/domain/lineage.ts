/** How a new leg is tied to the one it comes from, and where a chain has to end. */
import { err, ok, type Result } from '../foundation/result.ts';
import type { Handoff, Lineage } from './handoff.ts';
import type { Refusal } from './refusals.ts';

/** Two agents that send each other the same thing are stopped here; a real relay is shorter. */
const HOPS_MAX = 16;

export function legOf(parent: Pick<Handoff, 'id' | 'lineage'>): Result<Lineage, Refusal> {
  return descend(parent, { parent: parent.id, retryOf: null });
}

/** A new try of what is final: beside the old one in the chain, not below it. */
export function retryOf(old: Handoff): Result<Lineage, Refusal> {
  return descend(old, { parent: old.lineage.parent, retryOf: old.id });
}

function descend(
  from: Pick<Handoff, 'id' | 'lineage'>,
  link: Pick<Lineage, 'parent' | 'retryOf'>,
): Result<Lineage, Refusal> {
  const hops = from.lineage.hops + 1;
  if (hops > HOPS_MAX) return err({ code: 'too-many-hops', id: from.id, hops, max: HOPS_MAX });
  return ok({ root: from.lineage.root ?? from.id, ...link, hops });
}
