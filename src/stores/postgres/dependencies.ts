/**
 * Inserts of handoffs with dependencies. The dependencies are read first and decided over. The statement that writes then
 * checks that they have not changed: it locks the records that were read, and locks the one row that counts such inserts,
 * so that of two inserts that would close a cycle together the second sees the first.
 */
import { findCycle, type DependencyStates } from '../../domain/dependencies.ts';
import type { HandoffId } from '../../domain/names.ts';
import { stateOfNumber } from '../stored-numbers.ts';
import type { NewHandoff } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Parameter } from './driver.ts';
import { IS_OPEN } from './limits.ts';

/** What the decision is based on. */
export interface DependencyFacts {
  /** The number of inserts with dependencies so far. */
  readonly turn: number;
  readonly known: ReadonlySet<HandoffId>;
  /** State numbers of those dependencies that exist. */
  readonly states: ReadonlyMap<HandoffId, number>;
  readonly edges: ReadonlyMap<HandoffId, readonly HandoffId[]>;
}

/** One more than `findCycle` follows. */
const EDGES_MAX = 10_001;

const DEPENDENCY_FACTS_SQL = `with recursive
start as (select distinct id collate "C" as id from json_array_elements_text($1::text::json) as x(id)),
walk(id) as (select id from start union select d.needs from walk join baton.dependency d on d.id = walk.id)
select 'turn', null, null, revision from baton.graph
union all select 'known', h.id, null, null from json_array_elements_text($2::text::json) as x(id) join baton.handoff h using (id)
union all select 'state', h.id, null, h.state from start join baton.handoff h using (id)
union all (select 'edge', d.id, d.needs, null
  from (select id from walk limit ${EDGES_MAX}) w join baton.dependency d using (id) limit ${EDGES_MAX})`;

export async function readDependencyFacts(
  connection: Connection,
  newHandoffs: readonly Pick<NewHandoff, 'id' | 'dependsOn'>[],
): Promise<DependencyFacts> {
  const ids = newHandoffs.map(({ id }) => id);
  const dependencies = newHandoffs.flatMap(({ dependsOn }) => dependsOn);
  const rows = await connection.read(DEPENDENCY_FACTS_SQL, [JSON.stringify(dependencies), JSON.stringify(ids)]);
  const edges = new Map<HandoffId, HandoffId[]>();
  for (const [what, id, needs] of rows) {
    if (what === 'edge') edges.set(id as HandoffId, [...(edges.get(id as HandoffId) ?? []), needs as HandoffId]);
  }
  return {
    turn: Number(rows.find(([what]) => what === 'turn')?.[3]),
    known: new Set(rows.filter(([what]) => what === 'known').map(([, id]) => id as HandoffId)),
    states: new Map(rows.filter(([what]) => what === 'state').map((row) => [row[1] as HandoffId, Number(row[3])])),
    edges,
  };
}

/** The cycle that this handoff would close, including handoffs of the same call. Null: none. */
export function cycleAmong(
  newHandoff: NewHandoff,
  together: ReadonlyMap<HandoffId, readonly HandoffId[]>,
  { edges }: DependencyFacts,
): readonly HandoffId[] | null {
  return findCycle(newHandoff.id, newHandoff.dependsOn, (id) => together.get(id) ?? edges.get(id) ?? []);
}

/** A handoff of the same insert cannot be completed, whatever its record says. */
export function statesFor(
  newHandoff: NewHandoff,
  together: ReadonlyMap<HandoffId, readonly HandoffId[]>,
  { states }: DependencyFacts,
): DependencyStates {
  return new Map(
    newHandoff.dependsOn.map((id) => {
      const number = together.has(id) ? undefined : states.get(id);
      return [id, number === undefined ? null : (stateOfNumber(number) ?? null)];
    }),
  );
}

export interface DependencyParts {
  readonly gates: readonly string[];
  readonly conditions: readonly string[];
  readonly writes: readonly string[];
}

/** In the order in which `dependencyParts` asks for them. */
export function dependencyValues({ turn, states }: DependencyFacts): readonly Parameter[] {
  const seen = [...states].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [JSON.stringify(seen.map(([id]) => id)), seen.map(([id, state]) => `${id}=${state}`).join(','), turn];
}

export function dependencyParts(next: () => string): DependencyParts {
  const [ids, expected, turn] = [next(), next(), next()];
  return {
    gates: [
      'turn as materialized (select revision from baton.graph for update)',
      `seen as materialized (select h.id, h.state from json_array_elements_text(${ids}::text::json) as x(id)
  join baton.handoff h on h.id = x.id order by h.id for share of h)`,
    ],
    conditions: [
      `(select revision from turn) = ${turn}::bigint`,
      `(select coalesce(string_agg(id || '=' || state, ',' order by id), '') from seen) = ${expected}::text`,
    ],
    writes: [
      `needed as (insert into baton.dependency (id, needs)
  select given.id, x.id from given cross join lateral json_array_elements_text(given.needs) as x(id))`,
      `turned as (update baton.graph set revision = revision + 1 where ${IS_OPEN})`,
    ],
  };
}
