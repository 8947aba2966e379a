/** All read-only queries on handoffs and facts. Reads never wait for a writer. */
import { present } from '../../foundation/assert.ts';
import type { JsonText } from '../../foundation/json.ts';
import { UNSUCCESSFUL_STATES } from '../../domain/dependencies.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal, STATES } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { missingBody } from '../missing-body.ts';
import { pageById } from '../page.ts';
import type {
  FactFilter,
  FactQuery,
  FactRead,
  Page,
  Query,
  RequestKey,
  StateCounts,
  HandoffFilter,
  StoredHandoff,
} from '../store.ts';
import { readCursor } from '../read-cursor.ts';
import type { Row, Sql, Statement, Value } from './binding.ts';
import { countStatement, listStatement, openNumbersSql, type Filter } from './lists.ts';
import type { RowNumbers } from './row-numbers.ts';
import { readRow, ROW_COLUMNS } from './rows.ts';
import { factNames, readFact } from '../fact-columns.ts';
import { BLOCKED_REASONS, stateNumber, stateOfNumber } from '../stored-numbers.ts';
import { enoughReadable, readableOf } from '../column-codecs.ts';

export interface Queries {
  byIds(ids: readonly HandoffId[]): readonly Handoff[];
  revisionOf(id: HandoffId): number | null;
  whole(id: HandoffId): StoredHandoff | null;
  settled(id: HandoffId): StoredHandoff | null;
  find(query: Query, nowMs: number): Page;
  count(wanted: HandoffFilter): StateCounts;
  facts(query: FactQuery): readonly FactRead[];
}

const SELECT = `SELECT ${ROW_COLUMNS} FROM handoff`;
export const OVERDUE_SQL = `${SELECT} INDEXED BY handoff_due WHERE due_at <= ? ORDER BY due_at LIMIT ?`;
export const OF_SESSION_SQL = `${SELECT} INDEXED BY handoff_session
  WHERE session = (SELECT n FROM session WHERE id = ?) LIMIT ?`;
export const FREED_SQL = `${SELECT} INDEXED BY handoff_freed
  WHERE state = ${stateNumber('blocked')} AND blocked = 0 AND waits = 0 ORDER BY n LIMIT ?`;

export const PLACES_SQL = `${SELECT} INDEXED BY handoff_place
  WHERE state = ${stateNumber('blocked')} AND blocked = ${BLOCKED_REASONS.indexOf('place')}
    AND n > coalesce((SELECT n FROM handoff WHERE id = ?2), 0) ORDER BY n LIMIT ?1`;
/** Along the index of deadlines, which holds only open handoffs. */
export const ASKING_SQL = `${SELECT} WHERE n IN (
    SELECT n FROM handoff INDEXED BY handoff_due WHERE due_at IS NOT NULL
      AND state = ${stateNumber('blocked')} AND blocked = ${BLOCKED_REASONS.indexOf('question')})
  AND n > coalesce((SELECT n FROM handoff WHERE id = ?2), 0) ORDER BY n LIMIT ?1`;
/** The range ends with the prefix followed by the largest character. */
export const WAITING_SQL = `${SELECT} WHERE n IN (
    SELECT handoff FROM dependency INDEXED BY dependency_needs WHERE needs >= ?3 AND needs < ?3 || char(1114111))
  AND state = ${stateNumber('blocked')} AND blocked = ${BLOCKED_REASONS.indexOf('dependency')}
  AND n > coalesce((SELECT n FROM handoff WHERE id = ?2), 0) ORDER BY n LIMIT ?1`;
const BAD_ENDS_SQL = UNSUCCESSFUL_STATES.map(stateNumber).join(', ');
export const FAILED_DEPENDENCY_SQL = `${SELECT} INDEXED BY handoff_blocked
  WHERE state = ${stateNumber('blocked')} AND blocked = ${BLOCKED_REASONS.indexOf('dependency')}
  AND n > coalesce((SELECT n FROM handoff WHERE id = ?2), 0) AND EXISTS (
    SELECT 1 FROM dependency JOIN handoff needed ON needed.id = dependency.needs
    WHERE dependency.handoff = handoff.n AND needed.state IN (${BAD_ENDS_SQL})) ORDER BY n LIMIT ?1`;
export const RETRIES_SQL = `${SELECT} INDEXED BY handoff_chain WHERE lineage IS NOT NULL
  AND json_extract(lineage, '$.root') = ?1 AND json_extract(lineage, '$.retryOf') = ?2 ORDER BY n LIMIT ?3`;
/** Scans the index of ids, and reads only matching rows. */
export const SHORT_ID_SQL = `${SELECT} WHERE n IN (
    SELECT n FROM handoff WHERE id GLOB 'hoff-????????-????-????-????-' || ?1 || '*') ORDER BY n LIMIT ?2`;
export const CHAIN_SQL = `${SELECT} WHERE id = ?1 UNION ALL ${SELECT} INDEXED BY handoff_chain
  WHERE lineage IS NOT NULL AND json_extract(lineage, '$.root') = ?1 AND id <> ?1 ORDER BY n LIMIT ?2`;

export const VISIBLE_CHAIN_SQL = `SELECT * FROM (${CHAIN_SQL.replace(' ORDER BY n LIMIT ?2', '')})
  WHERE (sender = ?3 OR recipient = ?3 OR EXISTS (
    SELECT 1 FROM verifier WHERE verifier.agent = ?4 AND verifier.handoff = n)) ORDER BY n LIMIT ?2`;
const ARTIFACTS_SQL = `SELECT DISTINCT handoff FROM json_each(?1) CROSS JOIN artifact_use
  ON artifact = json_each.value ORDER BY handoff DESC LIMIT ?2`;

/** Up to this many open handoffs of one agent are sorted. With more, reading along the index finds the newest sooner. */
const SORTED_MAX = 1_000;
const REMEMBERED_MAX = 50;

const WHOLE_SQL = `SELECT ${ROW_COLUMNS}, (SELECT text FROM body WHERE handoff = n),
  (SELECT text FROM outcome WHERE handoff = n) FROM handoff WHERE id = ?`;

const FACTS = `SELECT seq, handoff.id, ${factNames('fact.')} FROM fact JOIN handoff ON handoff.n = fact.handoff`;

export function queriesOf(sql: Sql, names: RowNumbers): Queries {
  const byId = sql(`${SELECT} WHERE id = ?`);
  const byNumber = sql(`${SELECT} WHERE n = ?`);
  const revision = sql('SELECT revision FROM handoff WHERE n = ?');
  const incoming = sql('SELECT in_all FROM agent WHERE n = ?');
  const request = sql('SELECT ids FROM request WHERE by = ? AND key = ?');
  const wholeById = sql(WHOLE_SQL);
  const settledById = sql(`${WHOLE_SQL} AND state >= ${STATES.findIndex(isFinal)}`);
  const trail = sql(`${FACTS}
     WHERE fact.handoff = (SELECT n FROM handoff WHERE id = ?) AND seq > ? ORDER BY fact.revision LIMIT ?`);
  const newest = sql(`${FACTS} ORDER BY seq DESC LIMIT ?`);
  const feed = sql(`${FACTS} WHERE seq > ? ORDER BY seq LIMIT ?`);

  const handoffOf = (row: Row): Handoff => readRow(row, names).handoff;
  const handoffsOf = (rows: readonly Row[]): readonly Handoff[] => readableOf(rows, handoffOf);
  const enough = (max: number, select: (limit: number) => readonly Row[]): readonly Handoff[] =>
    enoughReadable(max, select, handoffOf);
  const byIds = (ids: readonly HandoffId[]): readonly Handoff[] =>
    ids
      .map((id) => byId.get(id))
      .filter((row) => row !== undefined)
      .map(handoffOf);
  const requested = ({ by, key }: Pick<RequestKey, 'by' | 'key'>): readonly HandoffId[] =>
    JSON.parse((request.get(by, key)?.[0] as string | undefined) ?? '[]') as HandoffId[];
  const wholeOf = (row: Row | undefined): StoredHandoff | null => {
    if (row === undefined) return null;
    const { handoff } = readRow(row, names);
    const body = row.at(-2) as JsonText | null;
    if (body === null) throw missingBody(handoff.id);
    return { handoff, body, outcome: row.at(-1) as JsonText | null };
  };
  const page = (items: readonly Handoff[]): Page => ({ items, next: null });

  const cached = cachedStatements(sql);
  const agentWithFewOpen = ({ to }: Filter): number | null => {
    const n = to === undefined ? null : names.knownAgentNumber(to);
    const open = n === null ? null : (incoming.get(n)?.[0] as number);
    return open === null || open > SORTED_MAX ? null : n;
  };

  const openOf = (agent: number, numbers: Statement, { states = [], max }: Filter): Page => {
    const found = numbers.all(agent).map(([n]) => n as number);
    const shown = found.toSorted((a, b) => b - a).slice(0, max);
    const handoffs = handoffsOf(shown.flatMap((n) => byNumber.all(n)));
    // Another process may have changed one since its number was read.
    const items = handoffs.filter(({ state }) => states.includes(state));
    return { items, next: found.length > max ? String(shown.at(-1)) : null };
  };

  const chainOf = ({ root, max, visibleTo }: Extract<Query, { readonly by: 'chain' }>): readonly Row[] =>
    visibleTo === undefined
      ? cached(CHAIN_SQL).all(root, max)
      : cached(VISIBLE_CHAIN_SQL).all(root, max, names.knownAgentNumber(visibleTo) ?? -1, visibleTo);

  const filtered = (query: Filter): Page => {
    const numbers = openNumbersSql(query);
    const agent = numbers === null ? null : agentWithFewOpen(query);
    if (numbers !== null && agent !== null) return openOf(agent, cached(numbers), query);
    const statement = listStatement(query, names);
    if (statement === null) return page([]);
    const rows = cached(statement.sql).all(...statement.values);
    const shown = rows.slice(0, query.max);
    return { items: handoffsOf(shown), next: rows.length > query.max ? String(shown.at(-1)?.[0]) : null };
  };

  return {
    byIds,
    revisionOf: (id) => (revision.get(names.handoffNumber(id))?.[0] as number | undefined) ?? null,
    whole: (id) => wholeOf(wholeById.get(id)),
    settled: (id) => wholeOf(settledById.get(id)),
    find: (query, nowMs) => {
      switch (query.by) {
        case 'ids':
          return page(byIds(query.ids));
        case 'request':
          return page(byIds(requested(query.request)));
        case 'overdue':
          return page(enough(query.max, (limit) => cached(OVERDUE_SQL).all(nowMs, limit)));
        case 'session':
          return page(enough(query.max, (limit) => cached(OF_SESSION_SQL).all(query.session, limit)));
        case 'chain':
          return page(enough(query.max, (limit) => chainOf({ ...query, max: limit })));
        case 'artifacts': {
          const artifacts = JSON.stringify(query.artifacts);
          const select = (limit: number): readonly Row[] =>
            cached(ARTIFACTS_SQL)
              .all(artifacts, limit)
              .flatMap(([n]) => byNumber.all(n as number));
          return page(enough(query.max, select));
        }
        case 'places':
          return pageById(
            enough(query.max, (limit) => cached(PLACES_SQL).all(limit, query.after ?? null)),
            query.max,
          );
        case 'waiting': {
          const { on, max, after = null } = query;
          const select = (limit: number): readonly Row[] =>
            on === 'answer'
              ? cached(ASKING_SQL).all(limit, after)
              : on === 'failed'
                ? cached(FAILED_DEPENDENCY_SQL).all(limit, after)
                : cached(WAITING_SQL).all(limit, after, on.named);
          return pageById(enough(max, select), max);
        }
        case 'short-id':
          return page(enough(query.max, (limit) => cached(SHORT_ID_SQL).all(query.short.toLowerCase(), limit)));
        case 'retries': {
          const { of, max } = query;
          const select = (limit: number): readonly Row[] =>
            of.flatMap(({ id, lineage }) => cached(RETRIES_SQL).all(lineage.root ?? id, id, limit)).slice(0, limit);
          return page(enough(max, select));
        }
        case 'freed':
          return page(enough(query.max, (limit) => cached(FREED_SQL).all(limit)));
        case 'filter':
          return filtered(query);
      }
    },
    count: (wanted) => {
      const statement = countStatement(wanted, names);
      const rows = statement === null ? [] : cached(statement.sql).all(...statement.values);
      return Object.fromEntries(
        rows.map(([state, count]) => [present(stateOfNumber(state as number), 'a known state'), count as number]),
      );
    },
    facts: ({ handoff, after, max, newest: last, only }) => {
      if (last === true) return newest.all(max).map(factRead).toReversed();
      const seq = after === undefined ? 0 : readCursor(after);
      if (only !== undefined) {
        const { where, values } = factConditions(only, names);
        const text = `${FACTS}
          WHERE ${['seq > ?', ...where].join(' AND ')} ORDER BY seq LIMIT ?`;
        return cached(text)
          .all(seq, ...values, max)
          .map(factRead);
      }
      const rows = handoff === undefined ? feed.all(seq, max) : trail.all(handoff, seq, max);
      return rows.map(factRead);
    },
  };
}

function factConditions(
  { handoff, agent, states }: FactFilter,
  names: Pick<RowNumbers, 'knownAgentNumber'>,
): { readonly where: readonly string[]; readonly values: readonly Value[] } {
  const number = agent === undefined ? null : (names.knownAgentNumber(agent) ?? -1);
  return {
    where: [
      ...(handoff === undefined ? [] : ['fact.handoff = (SELECT n FROM handoff WHERE id = ?)']),
      ...(number === null ? [] : ['(sender = ? OR recipient = ?)']),
      ...(states === undefined ? [] : [`step & 15 IN (${states.map(stateNumber).join(', ')})`]),
    ],
    values: [...(handoff === undefined ? [] : [handoff]), ...(number === null ? [] : [number, number])],
  };
}

/** Few different lists are read repeatedly, and preparing such a statement costs more than most of them. */
function cachedStatements(sql: Sql): Sql {
  const made = new Map<string, Statement>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    if (made.size >= REMEMBERED_MAX) made.clear();
    const statement = sql(text);
    made.set(text, statement);
    return statement;
  };
}

function factRead(row: Row): FactRead {
  return { fact: readFact(row[1] as HandoffId, row, 2), cursor: String(row[0]) };
}
