import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Surroundings } from '../surroundings.ts';

/** What a handoff still waits for. */
export async function unmet({ store }: Surroundings, { terms }: Handoff): Promise<readonly HandoffId[]> {
  const ids = terms.dependsOn;
  if (ids.length === 0) return [];
  const { items } = await store.find({ by: 'ids', ids });
  const met = new Set(items.filter(({ state }) => state === 'completed').map(({ id }) => id));
  return ids.filter((id) => !met.has(id));
}
