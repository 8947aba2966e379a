/**
 * Which artifacts a principal may read. The result of a handoff is as visible as that handoff. A reader can pass it on:
 * the parties of a handoff that such a reader sent with it may read it too. An artifact without a handoff is visible to
 * everyone.
 */
import type { ArtifactCard } from '../../domain/artifacts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId, ArtifactId, HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import { partiesOf, readScopeOf } from '../../domain/rights.ts';
import type { Context } from '../context.ts';

/** Cards per query. */
const BATCH = 500;
/** How many handoffs that name artifacts of one batch are read. Older ones grant nothing. */
const USES_MAX = 5_000;

export async function visibleCards(
  ctx: Context,
  principal: Principal,
  cards: readonly ArtifactCard[],
): Promise<readonly ArtifactCard[]> {
  const scope = readScopeOf(principal);
  if (scope === 'everything') return cards;
  if (scope === 'nothing') return [];
  const visible: ArtifactCard[] = [];
  for (let at = 0; at < cards.length; at += BATCH) {
    const batch = cards.slice(at, at + BATCH);
    const readers = await readersOf(ctx, batch);
    visible.push(...batch.filter(({ id, handoff }) => handoff === null || readers.get(id)?.has(scope.party) === true));
  }
  return visible;
}

type Readers = ReadonlyMap<ArtifactId, ReadonlySet<AgentId>>;

async function readersOf({ store }: Context, cards: readonly ArtifactCard[]): Promise<Readers> {
  const made = cards.filter(({ handoff }) => handoff !== null);
  if (made.length === 0) return new Map();
  const ids = made.map(({ id }) => id);
  const sources = await store.find({ by: 'ids', ids: made.map(({ handoff }) => handoff as HandoffId) });
  const uses = await store.find({ by: 'artifacts', artifacts: ids, max: USES_MAX });
  const byId = new Map(sources.items.map((handoff) => [handoff.id, handoff]));
  return new Map(
    made.map(({ id, handoff }) => {
      const source = byId.get(handoff as HandoffId);
      const named = uses.items.filter(({ terms }) => terms.artifacts?.includes(id) === true);
      return [id, readersThrough(source === undefined ? [] : partiesOf(source), named)];
    }),
  );
}

/** Repeats until no reader is added. Each round removes at least one use, so it ends. */
function readersThrough(first: readonly AgentId[], uses: readonly Handoff[]): ReadonlySet<AgentId> {
  const readers = new Set(first);
  let rest = uses;
  for (let added = true; added;) {
    const entitled = rest.filter(({ from }) => readers.has(from));
    for (const agent of entitled.flatMap(partiesOf)) readers.add(agent);
    rest = rest.filter((use) => !entitled.includes(use));
    added = entitled.length > 0;
  }
  return readers;
}
