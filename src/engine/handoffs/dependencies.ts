/** What became of the handoffs that another one waits for. A retry counts for the handoff that it repeats. */
import { hasEndedBadly } from '../../domain/dependencies.ts';
import type { Handoff, Terms } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { lacksArtifact } from '../artifacts/awaited-artifacts.ts';
import type { Context } from '../context.ts';
import { handoffsByIds } from './find.ts';

/** A retry of a retry of …: no chain is longer. */
const GENERATIONS_MAX = 32;
const RETRIES_MAX = 1_000;

/** The handoff that counts for each of these: itself, or the retry that got furthest. Absent: there is none yet. */
export type Counting = ReadonlyMap<HandoffId, Handoff>;

export async function countingFor({ store }: Context, ids: readonly HandoffId[]): Promise<Counting> {
  const counting = new Map(await handoffsByIds(store, ids));
  const origins = new Map<HandoffId, HandoffId>(ids.map((id) => [id, id]));
  let failed = [...counting.values()].filter(({ state }) => hasEndedBadly(state));
  for (let generation = 0; failed.length > 0 && generation < GENERATIONS_MAX; generation += 1) {
    const { items: retries } = await store.find({ by: 'retries', of: failed, max: RETRIES_MAX });
    for (const retry of retries) {
      const origin = origins.get(retry.lineage.retryOf as HandoffId);
      if (origin === undefined) continue;
      origins.set(retry.id, origin);
      if (rankOf(retry) >= rankOf(counting.get(origin))) counting.set(origin, retry);
    }
    failed = retries.filter(({ state }) => hasEndedBadly(state));
  }
  return counting;
}

/** What is completed counts before what can still be, and that before what has ended. */
function rankOf(handoff: Handoff | undefined): number {
  if (handoff === undefined || hasEndedBadly(handoff.state)) return 0;
  return handoff.state === 'completed' ? 2 : 1;
}

interface Prospect {
  /** Nothing is waited for any longer. */
  readonly isMet: boolean;
  /** What has ended without being completed, where the terms say that this is no reason to go on. */
  readonly failed: Handoff | null;
}

export function prospectOf(terms: Pick<Terms, 'dependsOn' | 'onDependencyFailure'>, counting: Counting): Prospect {
  const runs = terms.onDependencyFailure === 'run';
  const all = terms.dependsOn.map((id) => counting.get(id));
  const failed = all.find((handoff) => hasEndedBadly(handoff?.state));
  const isMet = all.every((handoff) => handoff?.state === 'completed' || (runs && hasEndedBadly(handoff?.state)));
  return { isMet, failed: runs ? null : (failed ?? null) };
}

/** Why the handoff cannot be taken yet. What is met stays met, so a look before the transaction errs only towards waiting. */
export async function awaited(ctx: Context, { terms }: Handoff): Promise<'dependency' | 'artifact' | null> {
  if (!prospectOf(terms, await countingFor(ctx, terms.dependsOn)).isMet) return 'dependency';
  return (await lacksArtifact(ctx, terms.artifacts)) ? 'artifact' : null;
}
