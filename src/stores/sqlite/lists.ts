/** Lists, newest first. Each is walked along an index that has its order, so the first page costs no more than a page. */
import type { Query } from '../store.ts';
import { stateNumber } from '../numbers.ts';
import { wordsAsked } from '../words.ts';
import type { Value } from './binding.ts';
import type { Names } from './names.ts';
import { ROW_COLUMNS } from './rows.ts';

export type Filter = Extract<Query, { readonly by: 'filter' }>;

interface Conditions {
  readonly where: readonly string[];
  readonly values: readonly Value[];
}

/** One more than asked for, which tells whether there is a next page; null where nothing can be found. */
export function listStatement(
  filter: Filter,
  names: Pick<Names, 'knownAgentNumber'>,
): { readonly sql: string; readonly values: readonly Value[] } | null {
  const words = filter.text === undefined ? null : wordsAsked(filter.text);
  if (words?.length === 0) return null;
  const common = conditionsOf(filter, names, words === null ? 'n' : 'words.rowid');
  const max = filter.max + 1;
  const agent = filter.agent === undefined ? null : (names.knownAgentNumber(filter.agent) ?? -1);
  if (words !== null) {
    const { where, values } = agent === null ? common : and(common, '(sender = ? OR recipient = ?)', agent, agent);
    // The words come in the order of their records, so nothing is sorted.
    const sql = `SELECT ${ROW_COLUMNS} FROM words CROSS JOIN handoff ON n = words.rowid
      WHERE ${['words MATCH ?', ...where].join(' AND ')} ORDER BY words.rowid DESC LIMIT ?`;
    return { sql, values: [words.map((word) => `"${word}"`).join(' '), ...values, max] };
  }
  // Each side has its own index; two walks are merged, where OR would collect and sort.
  const sides =
    agent === null
      ? [common]
      : [and(common, 'sender = ?', agent), and(common, 'recipient = ? AND sender <> ?', agent, agent)];
  const sql = sides
    .map(({ where }) => `SELECT ${ROW_COLUMNS} FROM handoff WHERE ${['true', ...where].join(' AND ')}`)
    .join(' UNION ALL ');
  return { sql: `${sql} ORDER BY n DESC LIMIT ?`, values: [...sides.flatMap(({ values }) => values), max] };
}

function conditionsOf(filter: Filter, names: Pick<Names, 'knownAgentNumber'>, number: string): Conditions {
  const { states, from, to, task, after } = filter;
  let conditions: Conditions = { where: [], values: [] };
  if (states !== undefined) conditions = and(conditions, `state IN (${states.map(stateNumber).join(', ')})`);
  if (from !== undefined) conditions = and(conditions, 'sender = ?', names.knownAgentNumber(from) ?? -1);
  if (to !== undefined) conditions = and(conditions, 'recipient = ?', names.knownAgentNumber(to) ?? -1);
  if (task !== undefined) conditions = and(conditions, 'task = ?', task);
  if (after !== undefined) conditions = and(conditions, `${number} < ?`, Number(after));
  return conditions;
}

function and({ where, values }: Conditions, condition: string, ...more: readonly Value[]): Conditions {
  return { where: [...where, condition], values: [...values, ...more] };
}
