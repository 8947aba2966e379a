/** Statements for lists. Each reads along an index in its order, so a page costs the same however long the list is. */
import { KINDS } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import type { AgentId } from '../../domain/names.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import type { Query, HandoffFilter } from '../store.ts';
import { stateNumber } from '../stored-numbers.ts';
import { readCursor } from '../read-cursor.ts';
import { queryWords } from '../search-words.ts';
import type { Value } from './binding.ts';
import { numbersSql, ON_OFFER } from './on-offer.ts';
import type { RowNumbers } from './row-numbers.ts';
import { ROW_COLUMNS } from './rows.ts';
import { AT_REST_SQL } from './schema.ts';

export type Filter = Extract<Query, { readonly by: 'filter' }>;

interface Conditions {
  readonly where: readonly string[];
  readonly values: readonly Value[];
}

interface ListSql {
  readonly sql: string;
  readonly values: readonly Value[];
}

type Names = Pick<RowNumbers, 'knownAgentNumber'>;

/** Reads one row more than requested, which shows whether there is a next page. Null: nothing can match. */
export function listStatement(filter: Filter, names: Names): ListSql | null {
  const order = filter.oldestFirst === true ? 'ASC' : 'DESC';
  const max = filter.max + 1;
  if (filter.text !== undefined) {
    const source = wordsSource(filter.text);
    if (source === null) return null;
    const { where, values } = seenBy(conditionsOf(filter, names, 'words.rowid'), filter, names);
    // The full-text index has the order of the records, so nothing is sorted.
    const sql = `SELECT ${ROW_COLUMNS} FROM ${source.from}
      WHERE ${[source.where, ...where].join(' AND ')} ORDER BY words.rowid ${order} LIMIT ?`;
    return { sql, values: [source.value, ...values, max] };
  }
  const reader = readerOf(filter);
  if (reader !== null) return visibleStatement(filter, reader, names);
  const common = conditionsOf(filter, names, 'n');
  const agent = filter.agent === undefined ? null : numberOf(filter.agent, names);
  // Each side has an index of its own. UNION ALL merges them; OR would collect and sort.
  const sides =
    agent === null
      ? [common]
      : [and(common, 'sender = ?', agent), and(common, 'recipient = ? AND sender <> ?', agent, agent)];
  const sql = sides
    .map(({ where }) => `SELECT ${ROW_COLUMNS} FROM handoff WHERE ${['true', ...where].join(' AND ')}`)
    .join(' UNION ALL ');
  return { sql: `${sql} ORDER BY n ${order} LIMIT ?`, values: [...sides.flatMap(({ values }) => values), max] };
}

/** An unknown agent has no number: -1 matches nothing. */
function numberOf(agent: AgentId, names: Names): number {
  return names.knownAgentNumber(agent) ?? -1;
}

/** The full-text index joined with the records. Null: the text has no words. */
function wordsSource(text: string): { readonly from: string; readonly where: string; readonly value: string } | null {
  const words = queryWords(text);
  if (words.length === 0) return null;
  const from = 'words CROSS JOIN handoff ON n = words.rowid';
  return { from, where: 'words MATCH ?', value: words.map((word) => `"${word}"`).join(' ') };
}

/** Adds: the named agent is sender or recipient, and the reader may see the handoff. */
function seenBy(conditions: Conditions, wanted: HandoffFilter, names: Names): Conditions {
  const agent = wanted.agent === undefined ? null : numberOf(wanted.agent, names);
  const ofAgent = agent === null ? conditions : and(conditions, '(sender = ? OR recipient = ?)', agent, agent);
  const reader = readerOf(wanted);
  if (reader === null) return ofAgent;
  const n = numberOf(reader, names);
  return and(ofAgent, VISIBLE_SQL, n, n, reader);
}

/** Null: the reader is a party of everything in the list. */
function readerOf({ visibleTo, from, to, agent }: HandoffFilter): AgentId | null {
  return visibleTo === undefined || [from, to, agent].includes(visibleTo) ? null : visibleTo;
}

/** The reader is sender (number), recipient (number) or named verifier (name). */
const VISIBLE_SQL = `(sender = ? OR recipient = ? OR EXISTS (
  SELECT 1 FROM verifier WHERE verifier.agent = ? AND verifier.handoff = n))`;

/**
 * Reads the handoffs of which the reader is a party, each role along its own index. Handoffs that the reader may not see
 * cost nothing.
 */
function visibleStatement(filter: Filter, reader: AgentId, names: Names): ListSql {
  const n = numberOf(reader, names);
  const named = filter.agent === undefined ? null : numberOf(filter.agent, names);
  const ofNamed = (all: Conditions): Conditions =>
    named === null ? all : and(all, '(+sender = ? OR +recipient = ?)', named, named);
  const common = ofNamed(conditionsOf(filter, names, 'n'));
  const sent = and(common, 'sender = ?', n);
  const received = and(common, 'recipient = ? AND +sender <> ?', n, n);
  const asVerifier = and(ofNamed(conditionsOf(filter, names, 'verifier.handoff')), 'verifier.agent = ?', reader);
  const judged = and(asVerifier, '+sender <> ? AND +recipient <> ?', n, n);
  const sql = `SELECT ${ROW_COLUMNS} FROM handoff WHERE ${sent.where.join(' AND ')}
    UNION ALL SELECT ${ROW_COLUMNS} FROM handoff WHERE ${received.where.join(' AND ')}
    UNION ALL SELECT ${ROW_COLUMNS.replace('n,', 'verifier.handoff,')} FROM verifier
      CROSS JOIN handoff ON n = verifier.handoff WHERE ${judged.where.join(' AND ')}
    ORDER BY n ${filter.oldestFirst === true ? 'ASC' : 'DESC'} LIMIT ?`;
  return { sql, values: [...sent.values, ...received.values, ...judged.values, filter.max + 1] };
}

/**
 * Selects the numbers of open handoffs of one agent along indexes that hold only open handoffs: an open handoff may be
 * older than years of finished ones. They are unordered, so this is for agents with few of them. Null for other lists.
 */
export function openNumbersSql(filter: Filter): string | null {
  const { states, to, by, max, visibleTo, ...others } = filter;
  const isPlain = Object.values(others).every((other) => other === undefined);
  void [by, max, visibleTo];
  if (to === undefined || states === undefined || !isPlain || states.some(isFinal)) return null;
  if (readerOf(filter) !== null) return null;
  const parts = [
    ...(states.includes('offered') ? ON_OFFER : []),
    ...(states.includes('accepted') ? [HELD_BY_SESSIONS] : []),
    ...(states.some((state) => state !== 'offered') ? [AT_REST] : []),
  ];
  // As bits: SQLite would build a temporary table for `IN (…)` in each part.
  const asked = `(1 << state) & ${states.reduce((bits, state) => bits | (1 << stateNumber(state)), 0)}`;
  return numbersSql(parts.map(({ index, where }) => ({ index, where: `${where} AND ${asked}` })));
}

const AT_REST = { index: 'handoff_rest', where: AT_REST_SQL } as const;
const HELD_BY_SESSIONS = { index: 'handoff_session', where: 'session IS NOT NULL' } as const;

/** Counts the handoffs per state. Null: nothing can match. */
export function countStatement(wanted: HandoffFilter, names: Names): ListSql | null {
  const source = wanted.text === undefined ? null : wordsSource(wanted.text);
  if (wanted.text !== undefined && source === null) return null;
  const { where, values } = seenBy(wantedConditions(wanted, names), wanted, names);
  const all = [source?.where ?? 'true', ...where].join(' AND ');
  return {
    sql: `SELECT state, count(*) FROM ${source?.from ?? 'handoff'} WHERE ${all} GROUP BY state`,
    values: [...(source === null ? [] : [source.value]), ...values],
  };
}

function conditionsOf(filter: Filter, names: Names, number: string): Conditions {
  const { after, oldestFirst } = filter;
  const wanted = wantedConditions(filter, names);
  if (after === undefined) return wanted;
  return and(wanted, `${number} ${oldestFirst === true ? '>' : '<'} ?`, readCursor(after));
}

function wantedConditions(wanted: HandoffFilter, names: Names): Conditions {
  const { states, from, to, task, kind, priorities, createdSince, createdBefore } = wanted;
  let conditions: Conditions = { where: [], values: [] };
  if (states !== undefined) conditions = and(conditions, `state IN (${states.map(stateNumber).join(', ')})`);
  if (from !== undefined) conditions = and(conditions, 'sender = ?', numberOf(from, names));
  if (to !== undefined) conditions = and(conditions, 'recipient = ?', numberOf(to, names));
  if (task !== undefined) conditions = and(conditions, 'task = ?', task);
  if (kind !== undefined) conditions = and(conditions, '+kind = ?', KINDS.indexOf(kind));
  if (priorities !== undefined) {
    conditions = and(conditions, `+priority IN (${priorities.map((each) => PRIORITIES.indexOf(each)).join(', ')})`);
  }
  if (createdSince !== undefined) conditions = and(conditions, '+created_at >= ?', createdSince);
  if (createdBefore !== undefined) conditions = and(conditions, '+created_at < ?', createdBefore);
  return conditions;
}

function and({ where, values }: Conditions, condition: string, ...more: readonly Value[]): Conditions {
  return { where: [...where, condition], values: [...values, ...more] };
}
