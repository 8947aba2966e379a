import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { lacksArtifact } from '../artifacts/awaited.ts';
import type { Surroundings } from '../surroundings.ts';

/** What a handoff still waits for. */
async function unmet({ store }: Surroundings, { terms }: Handoff): Promise<readonly HandoffId[]> {
  const ids = terms.dependsOn;
  if (ids.length === 0) return [];
  const { items } = await store.find({ by: 'ids', ids });
  const met = new Set(items.filter(({ state }) => state === 'completed').map(({ id }) => id));
  return ids.filter((id) => !met.has(id));
}

/** Why it cannot be had yet. What is met stays met, so a look before the transaction errs only towards waiting. */
export async function awaited(around: Surroundings, handoff: Handoff): Promise<'dependency' | 'artifact' | null> {
  if ((await unmet(around, handoff)).length > 0) return 'dependency';
  return (await lacksArtifact(around, handoff.terms.artifacts)) ? 'artifact' : null;
}
