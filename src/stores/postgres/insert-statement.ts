/** The one statement that makes records: row, body, facts and whatever else comes with them, all of it or nothing. */
import type { JsonText } from '../../foundation/json.ts';
import type { Decision } from '../../domain/decision.ts';
import { usesCapacity } from '../../domain/limits.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { RequestKey } from '../store.ts';
import { isNotifiable, notifyTopic } from './notify.ts';
import type { Connection } from './connection.ts';
import { dependencyParts, dependencyValues, type DependencyFacts } from './dependencies.ts';
import type { Parameter } from './driver.ts';
import { DOCUMENT } from './numbers.ts';
import {
  ADD_TO_PLACES,
  GATE,
  HAS_COUNTERS,
  IS_OPEN,
  LOCKED_PLACES,
  NO_COUNTERS,
  readCounts,
  type Counts,
  type Need,
} from './limits.ts';
import {
  CHANGING,
  filled,
  FIXED,
  joined,
  named,
  newColumns,
  oneObject,
  READY_COLUMNS,
  split,
  typed,
  type Column,
} from './rows.ts';
import { rememberedStatement } from './remembered-statement.ts';
import { KEEP_REQUEST, requestParts, requestValues } from './requests.ts';
import {
  keepEffects,
  keepOutcomes,
  insertFactsSql,
  factCountOf,
  SENT_FACT_COLUMNS,
  factColumnNames,
  factsText,
  type FactCount,
} from './fact-columns.ts';

export interface InsertRow {
  readonly decision: Decision;
  readonly body: JsonText;
}

/** What must hold at the moment of writing; without any of it, the statement is plain and can be shared. */
export interface Conditions {
  readonly needs?: readonly Need[];
  readonly surroundings?: DependencyFacts;
  readonly request?: RequestKey;
  /** What stands first in the answer to the request. */
  readonly besides?: HandoffId;
}

export interface Added {
  /** False: a gate was closed, and nothing was written. */
  readonly written: boolean;
  readonly doubtful: boolean;
  readonly counts: Counts;
}

/** Throws a `conflict` when an id or a request is taken. */
export async function insertRows(
  connection: Connection,
  newcomers: readonly InsertRow[],
  conditions: Conditions = {},
): Promise<Added> {
  const counting = (conditions.needs ?? []).length > 0 || connection.app.hasCounters;
  const added = await insertOnce(connection, newcomers, conditions);
  if (!added.written && !counting && (await connection.read(HAS_COUNTERS))[0]?.[0] === true) {
    connection.app.hasCounters = true;
    const again = await insertRows(connection, newcomers, conditions);
    return { ...again, doubtful: again.doubtful || added.doubtful };
  }
  return added;
}

/** Writes nothing where there are counters of which this process does not know yet; `insertRows` looks for them then. */
export async function insertOnce(
  connection: Connection,
  newcomers: readonly InsertRow[],
  conditions: Conditions = {},
): Promise<Added> {
  const { needs = [], surroundings, request, besides } = conditions;
  const outcomes = newcomers.map(({ decision }) => decision.outcome ?? null);
  const parts: Parts = {
    telling: factCountOf(newcomers.map(({ decision }) => decision)),
    outcomes: outcomes.some((outcome) => outcome !== null),
    effects: newcomers.some(({ decision }) => (decision.effects ?? []).length > 0),
    places: needs.length > 0,
    counting: needs.length > 0 || connection.app.hasCounters,
    dependencies: surroundings !== undefined,
    request: request !== undefined,
    notifying: connection.app.notifies && newcomers.some(({ decision }) => isNotifiable(decision.handoff)),
  };
  const parameters: Parameter[] = [
    `[${newcomers.map((newcomer, place) => given(newcomer, place, parts.telling)).join(',')}]`,
    joined(newcomers.map(({ body }) => body)),
    ...(parts.outcomes ? [joined(outcomes)] : []),
    ...(parts.places ? [JSON.stringify(needs)] : []),
    ...(surroundings === undefined ? [] : dependencyValues(surroundings)),
    ...(request === undefined
      ? []
      : requestValues(request, [...(besides === undefined ? [] : [besides]), ...newcomers.map(idOf)])),
  ];
  const { rows, doubtful } = await connection.write(statementFor(parts), parameters);
  return { written: rows[0]?.[4] === newcomers.length, doubtful, counts: readCounts(rows, 0) };
}

function given({ decision }: InsertRow, place: number, telling: FactCount): string {
  const { handoff, effects } = decision;
  const needs = handoff.terms.dependsOn;
  return oneObject([newColumns(handoff), factsText(decision, telling)], {
    place,
    effects: effects?.length === 0 ? undefined : effects,
    needs: needs.length === 0 ? undefined : [...new Set(needs)],
    gain: usesCapacity(handoff) ? undefined : 0,
  });
}

function idOf({ decision }: InsertRow): string {
  return decision.handoff.id;
}

/** What not every insert needs: what is left out costs nothing. */
interface Parts {
  readonly telling: FactCount;
  readonly outcomes: boolean;
  readonly effects: boolean;
  readonly places: boolean;
  /** Whether there are counters to add to. */
  readonly counting: boolean;
  readonly dependencies: boolean;
  readonly request: boolean;
  readonly notifying: boolean;
}

const statementFor = rememberedStatement(addStatement);

/** Parameters are numbered in the order in which `add` lists them. */
function addStatement(parts: Parts): string {
  const { telling, outcomes, effects, places, counting, dependencies, request, notifying } = parts;
  let count = 0;
  const next = (): string => `$${(count += 1)}`;
  const source = sourceOf(next, telling, outcomes);
  const locks = places ? [LOCKED_PLACES(next())] : [];
  const waits = dependencies ? dependencyParts(next) : { gates: [], conditions: [], writes: [] };
  const isGated = places || dependencies;
  const open = [...(isGated ? [IS_OPEN] : []), ...(counting ? [] : [NO_COUNTERS])];
  const ifOpen = open.length === 0 ? '' : ` where ${open.join(' and ')}`;
  const ctes = [
    ...locks,
    ...waits.gates,
    ...(isGated ? [GATE(waits.conditions, places)] : []),
    `given as materialized (select nextval('baton.handoff_n') as n, ${filled([...FIXED, ...CHANGING], true)},
    ${factColumnNames(telling)}, place, effects, needs, coalesce(gain, 1) as gain, text${outcomes ? ', outcome' : ''}
  from ${source}${ifOpen})`,
    `made as (insert into baton.handoff (id, n, recipient, ${named(CHANGING)})
  select id, n, recipient, ${named(CHANGING)} from given)`,
    `carried as (insert into baton.body (n, ${named(FIXED)}, text) select n, ${named(FIXED)}, text from given)`,
    insertFactsSql('given', telling),
    ...(counting ? [ADD_TO_PLACES(`select sender, recipient, gain, kind = ${DOCUMENT} as document from given`)] : []),
    ...(outcomes ? [keepOutcomes('given')] : []),
    ...(effects ? [keepEffects('given')] : []),
    ...(notifying ? [notifyTopic('given', READY_COLUMNS)] : []),
    ...waits.writes,
    ...(request ? [`asked as (${KEEP_REQUEST} select ${requestParts(next)}${ifOpen})`] : []),
  ];
  const answer = `select null::text, null::smallint, null::integer, null::integer, count(*)::integer from given`;
  const counters = places ? ' union all select agent, direction, all_open, documents_open, null from locked' : '';
  const rung = notifying ? ' union all select null, null, null, null, count(*)::integer from rung' : '';
  return `with ${ctes.join(',\n')}\n${answer}${counters}${rung}`;
}

function sourceOf(next: () => string, telling: FactCount, outcomes: boolean): string {
  const columns: readonly Column[] = [
    ...FIXED,
    ...CHANGING,
    ...SENT_FACT_COLUMNS[telling],
    ['place', 'integer'],
    ['effects', 'json'],
    ['needs', 'json'],
    ['gain', 'integer'],
  ];
  const records = `json_to_recordset(${next()}::text::json) as (${typed(columns)})`;
  const functions = [records, split(next()), ...(outcomes ? [split(next())] : [])];
  return `rows from (${functions.join(', ')}) as g(${named(columns)}, text${outcomes ? ', outcome' : ''})`;
}
