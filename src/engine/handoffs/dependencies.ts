import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { lacksArtifact } from '../artifacts/awaited-artifacts.ts';
import type { Context } from '../context.ts';

/** What a handoff still waits for. */
async function unmet({ store }: Context, { terms }: Handoff): Promise<readonly HandoffId[]> {
  const ids = terms.dependsOn;
  if (ids.length === 0) return [];
  const { items } = await store.find({ by: 'ids', ids });
  const met = new Set(items.filter(({ state }) => state === 'completed').map(({ id }) => id));
  return ids.filter((id) => !met.has(id));
}

/** Why it cannot be had yet. What is met stays met, so a look before the transaction errs only towards waiting. */
export async function awaited(ctx: Context, handoff: Handoff): Promise<'dependency' | 'artifact' | null> {
  if ((await unmet(ctx, handoff)).length > 0) return 'dependency';
  return (await lacksArtifact(ctx, handoff.terms.artifacts)) ? 'artifact' : null;
}
