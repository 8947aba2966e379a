/** Removes finished handoffs and keeps a tombstone of each. */
import type { Clock } from '../../foundation/clock.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Removal, Retention, Head } from '../store.ts';
import type { Tables } from './tables.ts';
import { copiesAfter } from './transfer.ts';

export function openRetention(tables: Tables, clock: Clock): Retention {
  return {
    async removable(settledBefore, after, max) {
      const page = copiesAfter(tables, after, max);
      return {
        ...page,
        items: page.items.filter(
          ({ handoff }) => !isNewest(tables, handoff.id) && canGo(tables, handoff, settledBefore),
        ),
      };
    },
    remove: async (heads, archive) => heads.map((head) => removeOne(tables, head, archive, clock.nowMs())),
    removed: async (ids) => ids.flatMap((id) => tables.removed.get(id) ?? []),
  };
}

function canGo(tables: Tables, handoff: Handoff, settledBefore: number): boolean {
  const all = [...tables.rows.values()].map((row) => row.handoff);
  const root = handoff.lineage.root ?? handoff.id;
  const chain = all.filter(({ id, lineage }) => id === root || lineage.root === root);
  const open = all.filter(({ state }) => !isFinal(state));
  return (
    [handoff, ...chain].every(
      ({ state, kind, since }) => isFinal(state) && kind === 'queue' && since < settledBefore,
    ) && !open.some(({ terms }) => [handoff, ...chain].some(({ id }) => terms.dependsOn.includes(id)))
  );
}

/** The newest stays, as in a database whose numbers continue from the newest row. */
function isNewest(tables: Tables, id: HandoffId): boolean {
  return [...tables.rows.keys()].at(-1) === id || tables.facts.at(-1)?.handoff === id;
}

function removeOne(tables: Tables, { id, trail }: Head, archive: string, at: number): Removal {
  const row = tables.rows.get(id);
  if (row === undefined) return tables.removed.get(id)?.archive === archive ? 'removed' : 'elsewhere';
  if (row.handoff.trail !== trail) return 'changed';
  if (isNewest(tables, id) || !canGo(tables, row.handoff, Infinity)) return 'needed';
  const { from, to } = row.handoff;
  tables.rows.delete(id);
  tables.numbers.delete(id);
  for (const [place, fact] of tables.facts.entries()) if (fact?.handoff === id) tables.facts[place] = null;
  for (const key of tables.effects.keys()) if (key.startsWith(`${id}:`)) tables.effects.delete(key);
  tables.removed.set(id, { id, from, to, at, archive });
  return 'removed';
}
