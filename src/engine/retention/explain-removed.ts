/** Tells a party of a removed handoff which archive has it, instead of "no such handoff". */
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { readScopeOf } from '../../domain/rights.ts';
import { removedRefusal } from '../../stores/store.ts';
import type { Context } from '../context.ts';

export async function explainRemoved<Other extends { readonly code: string }>(
  { store }: Context,
  principal: Principal,
  refusal: Other | Refusal,
): Promise<Other | Refusal> {
  const scope = readScopeOf(principal);
  if (!isAboutOne(refusal) || scope === 'nothing') return refusal;
  const [gone] = await store.retention.removed([refusal.id]);
  if (gone === undefined) return refusal;
  const isParty = scope === 'everything' || scope.party === gone.from || scope.party === gone.to;
  return isParty ? removedRefusal(gone) : refusal;
}

type AboutOne = Extract<Refusal, { readonly code: 'no-such-handoff' | 'dependency-unknown' }>;

function isAboutOne(refusal: { readonly code: string }): refusal is AboutOne {
  return refusal.code === 'no-such-handoff' || refusal.code === 'dependency-unknown';
}
