/** Finished handoffs leave, and a tombstone stays. */
import type { Clock } from '../../foundation/clock.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Removal, Retention } from '../store.ts';
import type { Head } from '../store.ts';
import type { Tables } from './tables.ts';
import { copiesAfter } from './transfer.ts';

export function openRetention(shelf: Tables, clock: Clock): Retention {
  return {
    async removable(settledBefore, after, max) {
      const page = copiesAfter(shelf, after, max);
      return {
        ...page,
        items: page.items.filter(({ handoff }) => !isNewest(shelf, handoff.id) && canGo(shelf, handoff, settledBefore)),
      };
    },
    async remove(heads, archive) {
      return heads.map((head) => removeOne(shelf, head, archive, clock.nowMs()));
    },
    async removed(ids) {
      return ids.map((id) => shelf.removed.get(id)).filter((gone) => gone !== undefined);
    },
  };
}

function canGo(shelf: Tables, handoff: Handoff, settledBefore: number): boolean {
  const all = [...shelf.rows.values()].map((row) => row.handoff);
  const root = handoff.lineage.root ?? handoff.id;
  const chain = all.filter(({ id, lineage }) => id === root || lineage.root === root);
  const open = all.filter(({ state }) => !isFinal(state));
  return (
    [handoff, ...chain].every(
      ({ state, kind, since }) => isFinal(state) && kind === 'queue' && since < settledBefore,
    ) && !open.some(({ terms }) => [handoff, ...chain].some(({ id }) => terms.dependsOn.includes(id)))
  );
}

/** As in a database that numbers records and facts from the newest on. */
function isNewest(shelf: Tables, id: HandoffId): boolean {
  return [...shelf.rows.keys()].at(-1) === id || shelf.facts.at(-1)?.handoff === id;
}

function removeOne(shelf: Tables, { id, trail }: Head, archive: string, at: number): Removal {
  const row = shelf.rows.get(id);
  if (row === undefined) return shelf.removed.get(id)?.archive === archive ? 'removed' : 'elsewhere';
  if (row.handoff.trail !== trail) return 'changed';
  if (isNewest(shelf, id) || !canGo(shelf, row.handoff, Infinity)) return 'needed';
  const { from, to } = row.handoff;
  shelf.rows.delete(id);
  shelf.numbers.delete(id);
  for (const [place, fact] of shelf.facts.entries()) if (fact?.handoff === id) shelf.facts[place] = null;
  for (const key of shelf.effects.keys()) if (key.startsWith(`${id}:`)) shelf.effects.delete(key);
  shelf.removed.set(id, { id, from, to, at, archive });
  return 'removed';
}
