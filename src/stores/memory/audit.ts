import type { HandoffId } from '../../domain/names.ts';
import type { Finding } from '../store.ts';
import type { Tables } from './tables.ts';

/** There are no stored counters here, so only records and their trails can disagree. */
export function audit(tables: Tables): readonly Finding[] {
  const facts = new Map<HandoffId, { count: number; hash: string }>();
  for (const fact of tables.facts) {
    if (fact === null) continue;
    facts.set(fact.handoff, { count: (facts.get(fact.handoff)?.count ?? 0) + 1, hash: fact.hash });
  }
  return [...tables.rows.values()].flatMap(({ handoff: { id, revision, trail } }): Finding[] => {
    const { count, hash } = facts.get(id) ?? { count: 0, hash: null };
    return [
      ...(count === revision
        ? []
        : [{ what: 'revision', handoff: id, says: `${id} has ${count} facts at revision ${revision}` }]),
      ...(hash === trail ? [] : [{ what: 'trail', handoff: id, says: `${id}: the newest fact is not the head` }]),
    ];
  });
}
