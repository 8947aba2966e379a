/** Lists, newest first. Each is walked along an index that has its order, so the first page costs no more than a page. */
import { KINDS } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import type { AgentId } from '../../domain/names.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import type { Query, Wanted } from '../store.ts';
import { stateNumber } from '../numbers.ts';
import { readCursor } from '../read-cursor.ts';
import { wordsAsked } from '../search-words.ts';
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

/** One more than asked for, which tells whether there is a next page; null where nothing can be found. */
export function listStatement(
  filter: Filter,
  names: Pick<RowNumbers, 'knownAgentNumber'>,
): { readonly sql: string; readonly values: readonly Value[] } | null {
  const words = filter.text === undefined ? null : wordsAsked(filter.text);
  if (words?.length === 0) return null;
  const common = conditionsOf(filter, names, words === null ? 'n' : 'words.rowid');
  const order = filter.oldestFirst === true ? 'ASC' : 'DESC';
  const max = filter.max + 1;
  const agent = filter.agent === undefined ? null : (names.knownAgentNumber(filter.agent) ?? -1);
  const reader = readerOf(filter);
  if (words !== null) {
    const ofAgent = agent === null ? common : and(common, '(sender = ? OR recipient = ?)', agent, agent);
    const { where, values } = reader === null ? ofAgent : visibleAmong(ofAgent, reader, names);
    // The words come in the order of their records, so nothing is sorted.
    const sql = `SELECT ${ROW_COLUMNS} FROM words CROSS JOIN handoff ON n = words.rowid
      WHERE ${['words MATCH ?', ...where].join(' AND ')} ORDER BY words.rowid ${order} LIMIT ?`;
    return { sql, values: [words.map((word) => `"${word}"`).join(' '), ...values, max] };
  }
  if (reader !== null) return visibleStatement(filter, reader, names);
  // Each side has its own index; two walks are merged, where OR would collect and sort.
  const sides =
    agent === null
      ? [common]
      : [and(common, 'sender = ?', agent), and(common, 'recipient = ? AND sender <> ?', agent, agent)];
  const sql = sides
    .map(({ where }) => `SELECT ${ROW_COLUMNS} FROM handoff WHERE ${['true', ...where].join(' AND ')}`)
    .join(' UNION ALL ');
  return { sql: `${sql} ORDER BY n ${order} LIMIT ?`, values: [...sides.flatMap(({ values }) => values), max] };
}

/** Null where whoever reads is a party of everything that is asked for. */
function readerOf({ visibleTo, from, to, agent }: Wanted): AgentId | null {
  return visibleTo === undefined || [from, to, agent].includes(visibleTo) ? null : visibleTo;
}

function visibleAmong(
  conditions: Conditions,
  reader: AgentId,
  names: Pick<RowNumbers, 'knownAgentNumber'>,
): Conditions {
  const n = names.knownAgentNumber(reader) ?? -1;
  return and(conditions, VISIBLE_SQL, n, n, reader);
}

/** The record is one of sender (number), recipient (number) or named verifier (name). */
const VISIBLE_SQL = `(sender = ? OR recipient = ? OR EXISTS (
  SELECT 1 FROM verifier WHERE verifier.agent = ? AND verifier.handoff = n))`;

/**
 * Walks what the reader has a part in, each part along its own index: what the reader may not see is not even passed,
 * however much of it there is.
 */
function visibleStatement(
  filter: Filter,
  reader: AgentId,
  names: Pick<RowNumbers, 'knownAgentNumber'>,
): { readonly sql: string; readonly values: readonly Value[] } {
  const n = names.knownAgentNumber(reader) ?? -1;
  const named = filter.agent === undefined ? null : (names.knownAgentNumber(filter.agent) ?? -1);
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
 * The numbers of what is open for one agent, along indexes that hold nothing else: there may be one old leg under years
 * of finished ones. They come in no order, so this is for agents that have not too much open. Null for other lists.
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
  // As bits: a list in brackets would become a table of its own in each of the parts.
  const asked = `(1 << state) & ${states.reduce((bits, state) => bits | (1 << stateNumber(state)), 0)}`;
  return numbersSql(parts.map(({ index, where }) => ({ index, where: `${where} AND ${asked}` })));
}

const AT_REST = { index: 'handoff_rest', where: AT_REST_SQL } as const;
const HELD_BY_SESSIONS = { index: 'handoff_session', where: 'session IS NOT NULL' } as const;

/** How many in each state; null where nothing can be found. */
export function countStatement(
  wanted: Wanted,
  names: Pick<RowNumbers, 'knownAgentNumber'>,
): { readonly sql: string; readonly values: readonly Value[] } | null {
  const words = wanted.text === undefined ? null : wordsAsked(wanted.text);
  if (words?.length === 0) return null;
  const agent = wanted.agent === undefined ? null : (names.knownAgentNumber(wanted.agent) ?? -1);
  const common = wantedConditions(wanted, names);
  const ofAgent = agent === null ? common : and(common, '(sender = ? OR recipient = ?)', agent, agent);
  const reader = readerOf(wanted);
  const { where, values } = reader === null ? ofAgent : visibleAmong(ofAgent, reader, names);
  const from = words === null ? 'handoff' : 'words CROSS JOIN handoff ON n = words.rowid';
  const all = [...(words === null ? ['true'] : ['words MATCH ?']), ...where].join(' AND ');
  const given = words === null ? [] : [words.map((word) => `"${word}"`).join(' ')];
  return { sql: `SELECT state, count(*) FROM ${from} WHERE ${all} GROUP BY state`, values: [...given, ...values] };
}

function conditionsOf(filter: Filter, names: Pick<RowNumbers, 'knownAgentNumber'>, number: string): Conditions {
  const { after, oldestFirst } = filter;
  const wanted = wantedConditions(filter, names);
  if (after === undefined) return wanted;
  return and(wanted, `${number} ${oldestFirst === true ? '>' : '<'} ?`, readCursor(after));
}

function wantedConditions(wanted: Wanted, names: Pick<RowNumbers, 'knownAgentNumber'>): Conditions {
  const { states, from, to, task, kind, priorities, createdSince, createdBefore } = wanted;
  let conditions: Conditions = { where: [], values: [] };
  if (states !== undefined) conditions = and(conditions, `state IN (${states.map(stateNumber).join(', ')})`);
  if (from !== undefined) conditions = and(conditions, 'sender = ?', names.knownAgentNumber(from) ?? -1);
  if (to !== undefined) conditions = and(conditions, 'recipient = ?', names.knownAgentNumber(to) ?? -1);
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
