/** Links a new leg to its chain, and limits the length of chains. */
import { err, ok, type Result } from '../foundation/result.ts';
import type { Handoff, Lineage } from './handoff.ts';
import type { Refusal } from './refusals.ts';

/** Stops two agents that send each other the same work. Real chains are shorter. */
const HOPS_MAX = 16;

export function childLineage(parent: Pick<Handoff, 'id' | 'lineage'>): Result<Lineage, Refusal> {
  return descend(parent, { parent: parent.id, retryOf: null });
}

/** A retry has the same parent as the handoff that it replaces. */
export function retryLineage(old: Handoff): Result<Lineage, Refusal> {
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
