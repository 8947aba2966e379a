/** The one statement that inserts records, with body, facts and all else that belongs to them: all or nothing. */
import type { JsonText } from '../../foundation/json.ts';
import type { Decision } from '../../domain/decision.ts';
import { usesCapacity } from '../../domain/limits.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { RequestKey } from '../store.ts';
import { isNotifiable, notifyTopic } from './notify.ts';
import type { Connection } from './connection.ts';
import { dependencyParts, dependencyValues, type DependencyFacts } from './dependencies.ts';
import type { Parameter } from './driver.ts';
import { DOCUMENT } from './sql-numbers.ts';
import {
  ADD_TO_COUNTERS,
  GATE,
  HAS_COUNTERS,
  IS_OPEN,
  LOCKED_COUNTERS,
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
import { cachedStatement } from './cached-statement.ts';
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

/** What the statement checks when it writes. Without conditions it can be shared by several calls. */
export interface Conditions {
  readonly needs?: readonly Need[];
  readonly dependencyFacts?: DependencyFacts;
  readonly request?: RequestKey;
  /** The handoff that a relay has changed: the first id of the stored answer. */
  readonly changedId?: HandoffId;
}

export interface Added {
  /** False: a condition did not hold; nothing was written. */
  readonly written: boolean;
  readonly maybeApplied: boolean;
  readonly counts: Counts;
}

/** Throws a `Conflict` when an id or a request key is taken. */
export async function insertRows(
  connection: Connection,
  newRows: readonly InsertRow[],
  conditions: Conditions = {},
): Promise<Added> {
  const counting = (conditions.needs ?? []).length > 0 || connection.app.hasCounters;
  const added = await insertOnce(connection, newRows, conditions);
  if (!added.written && !counting && (await connection.read(HAS_COUNTERS))[0]?.[0] === true) {
    connection.app.hasCounters = true;
    const again = await insertRows(connection, newRows, conditions);
    return { ...again, maybeApplied: again.maybeApplied || added.maybeApplied };
  }
  return added;
}

/** Writes nothing if there are limit counters that this process does not know of yet; `insertRows` then checks for them. */
export async function insertOnce(
  connection: Connection,
  newRows: readonly InsertRow[],
  conditions: Conditions = {},
): Promise<Added> {
  const { needs = [], dependencyFacts, request, changedId } = conditions;
  const outcomes = newRows.map(({ decision }) => decision.outcome ?? null);
  const parts: Parts = {
    factCount: factCountOf(newRows.map(({ decision }) => decision)),
    outcomes: outcomes.some((outcome) => outcome !== null),
    effects: newRows.some(({ decision }) => (decision.effects ?? []).length > 0),
    places: needs.length > 0,
    counting: needs.length > 0 || connection.app.hasCounters,
    dependencies: dependencyFacts !== undefined,
    request: request !== undefined,
    notifying: connection.app.notifies && newRows.some(({ decision }) => isNotifiable(decision.handoff)),
  };
  const parameters: Parameter[] = [
    `[${newRows.map((newRow, place) => rowText(newRow, place, parts.factCount)).join(',')}]`,
    joined(newRows.map(({ body }) => body)),
    ...(parts.outcomes ? [joined(outcomes)] : []),
    ...(parts.places ? [JSON.stringify(needs)] : []),
    ...(dependencyFacts === undefined ? [] : dependencyValues(dependencyFacts)),
    ...(request === undefined
      ? []
      : requestValues(request, [...(changedId === undefined ? [] : [changedId]), ...newRows.map(idOf)])),
  ];
  const { rows, maybeApplied } = await connection.write(statementFor(parts), parameters);
  return { written: rows[0]?.[4] === newRows.length, maybeApplied, counts: readCounts(rows, 0) };
}

function rowText({ decision }: InsertRow, place: number, factCount: FactCount): string {
  const { handoff, effects } = decision;
  const needs = handoff.terms.dependsOn;
  return oneObject([newColumns(handoff), factsText(decision, factCount)], {
    place,
    effects: effects?.length === 0 ? undefined : effects,
    needs: needs.length === 0 ? undefined : [...new Set(needs)],
    gain: usesCapacity(handoff) ? undefined : 0,
  });
}

function idOf({ decision }: InsertRow): string {
  return decision.handoff.id;
}

/** The optional parts of the statement. */
interface Parts {
  readonly factCount: FactCount;
  readonly outcomes: boolean;
  readonly effects: boolean;
  readonly places: boolean;
  /** Whether limit counters are updated. */
  readonly counting: boolean;
  readonly dependencies: boolean;
  readonly request: boolean;
  readonly notifying: boolean;
}

const statementFor = cachedStatement(addStatement);

/** Numbers the parameters in the order in which `insertOnce` passes them. */
function addStatement(parts: Parts): string {
  const { factCount, outcomes, effects, places, counting, dependencies, request, notifying } = parts;
  let count = 0;
  const next = (): string => `$${(count += 1)}`;
  const source = sourceOf(next, factCount, outcomes);
  const locks = places ? [LOCKED_COUNTERS(next())] : [];
  const waits = dependencies ? dependencyParts(next) : { gates: [], conditions: [], writes: [] };
  const isGated = places || dependencies;
  const open = [...(isGated ? [IS_OPEN] : []), ...(counting ? [] : [NO_COUNTERS])];
  const ifOpen = open.length === 0 ? '' : ` where ${open.join(' and ')}`;
  const ctes = [
    ...locks,
    ...waits.gates,
    ...(isGated ? [GATE(waits.conditions, places)] : []),
    `given as materialized (select nextval('baton.handoff_n') as n, ${filled([...FIXED, ...CHANGING], true)},
    ${factColumnNames(factCount)}, place, effects, needs, coalesce(gain, 1) as gain, text${outcomes ? ', outcome' : ''}
  from ${source}${ifOpen})`,
    `made as (insert into baton.handoff (id, n, recipient, ${named(CHANGING)})
  select id, n, recipient, ${named(CHANGING)} from given)`,
    `carried as (insert into baton.body (n, ${named(FIXED)}, text) select n, ${named(FIXED)}, text from given)`,
    insertFactsSql('given', factCount),
    ...(counting ? [ADD_TO_COUNTERS(`select sender, recipient, gain, kind = ${DOCUMENT} as document from given`)] : []),
    ...(outcomes ? [keepOutcomes('given')] : []),
    ...(effects ? [keepEffects('given')] : []),
    ...(notifying ? [notifyTopic('given', READY_COLUMNS)] : []),
    ...waits.writes,
    ...(request ? [`asked as (${KEEP_REQUEST} select ${requestParts(next)}${ifOpen})`] : []),
  ];
  const answer = `select null::text, null::smallint, null::integer, null::integer, count(*)::integer from given`;
  const counters = places ? ' union all select agent, direction, all_open, documents_open, null from locked' : '';
  const notifications = notifying
    ? ' union all select null, null, null, null, count(*)::integer from notifications'
    : '';
  return `with ${ctes.join(',\n')}\n${answer}${counters}${notifications}`;
}

function sourceOf(next: () => string, factCount: FactCount, outcomes: boolean): string {
  const columns: readonly Column[] = [
    ...FIXED,
    ...CHANGING,
    ...SENT_FACT_COLUMNS[factCount],
    ['place', 'integer'],
    ['effects', 'json'],
    ['needs', 'json'],
    ['gain', 'integer'],
  ];
  const records = `json_to_recordset(${next()}::text::json) as (${typed(columns)})`;
  const functions = [records, split(next()), ...(outcomes ? [split(next())] : [])];
  return `rows from (${functions.join(', ')}) as g(${named(columns)}, text${outcomes ? ', outcome' : ''})`;
}
