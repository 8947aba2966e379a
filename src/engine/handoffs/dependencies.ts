/** The status of dependencies. A retry counts for the handoff that it repeats. */
import { endedUnsuccessfully } from '../../domain/dependencies.ts';
import type { Handoff, Terms } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { lacksArtifact } from '../artifacts/awaited-artifacts.ts';
import type { Context } from '../context.ts';
import { handoffsByIds } from './find.ts';

/** How many retries of retries are followed. */
const GENERATIONS_MAX = 32;
const RETRIES_MAX = 1_000;

/** For each id the handoff that counts: itself, or the retry that got furthest. Absent: there is none yet. */
export type EffectiveHandoffs = ReadonlyMap<HandoffId, Handoff>;

export async function effectiveHandoffs({ store }: Context, ids: readonly HandoffId[]): Promise<EffectiveHandoffs> {
  const effective = new Map(await handoffsByIds(store, ids));
  const origins = new Map<HandoffId, HandoffId>(ids.map((id) => [id, id]));
  let failed = [...effective.values()].filter(({ state }) => endedUnsuccessfully(state));
  for (let generation = 0; failed.length > 0 && generation < GENERATIONS_MAX; generation += 1) {
    const { items: retries } = await store.find({ by: 'retries', of: failed, max: RETRIES_MAX });
    for (const retry of retries) {
      const origin = origins.get(retry.lineage.retryOf as HandoffId);
      if (origin === undefined) continue;
      origins.set(retry.id, origin);
      if (rankOf(retry) >= rankOf(effective.get(origin))) effective.set(origin, retry);
    }
    failed = retries.filter(({ state }) => endedUnsuccessfully(state));
  }
  return effective;
}

/** Completed counts before open, and open before ended. */
function rankOf(handoff: Handoff | undefined): number {
  if (handoff === undefined || endedUnsuccessfully(handoff.state)) return 0;
  return handoff.state === 'completed' ? 2 : 1;
}

interface DependencyStatus {
  /** All dependencies are met. */
  readonly isMet: boolean;
  /** A dependency that ended without being completed, unless the terms allow to run then. */
  readonly failed: Handoff | null;
}

export function dependencyStatus(
  terms: Pick<Terms, 'dependsOn' | 'onDependencyFailure'>,
  effective: EffectiveHandoffs,
): DependencyStatus {
  const runs = terms.onDependencyFailure === 'run';
  const all = terms.dependsOn.map((id) => effective.get(id));
  const failed = all.find((handoff) => endedUnsuccessfully(handoff?.state));
  const isMet = all.every((handoff) => handoff?.state === 'completed' || (runs && endedUnsuccessfully(handoff?.state)));
  return { isMet, failed: runs ? null : (failed ?? null) };
}

/** Why the handoff cannot be offered yet. Met dependencies stay met, so reading before the transaction is safe. */
export async function blockReasonOf(ctx: Context, { terms }: Handoff): Promise<'dependency' | 'artifact' | null> {
  if (!dependencyStatus(terms, await effectiveHandoffs(ctx, terms.dependsOn)).isMet) return 'dependency';
  return (await lacksArtifact(ctx, terms.artifacts)) ? 'artifact' : null;
}
