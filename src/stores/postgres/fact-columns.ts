/** SQL for what is written with a record in an insert or a move: facts, outcome and effects. */
import { inboxKind, type Decision } from '../../domain/decision.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId } from '../../domain/names.ts';
import { FACT_COLUMNS, factNames, type FactColumn } from '../fact-columns.ts';
import { jsonOf, named, typed, type Column } from './rows.ts';

/** Nearly every decision has one fact, which is then sent in the row of its record. */
export type FactCount = 'one' | 'many';

export function factCountOf(decisions: readonly Decision[]): FactCount {
  return decisions.every(({ facts }) => facts.length === 1) ? 'one' : 'many';
}

/** The name of a fact column beside the columns of its record. */
const sentName = (name: string): string => `fact_${name}`;
const asSent = (columns: readonly FactColumn[]): readonly Column[] =>
  columns.map(({ name, type }) => [sentName(name), type] as const);

/** The only fact of a decision shares revision and trail with the record. */
const OF_ONE = FACT_COLUMNS.filter(({ name }) => name !== 'revision' && name !== 'hash');

/** The columns in which facts are sent with their record. */
export const SENT_FACT_COLUMNS: Record<FactCount, readonly Column[]> = {
  one: asSent(OF_ONE),
  many: [['facts', 'json']],
};

interface Writer extends FactColumn {
  /** `"fact_name":` */
  readonly key: string;
}
const writersOf = (columns: readonly FactColumn[]): readonly Writer[] =>
  columns.map((column) => ({ ...column, key: `"${sentName(column.name)}":` }));
const WRITERS_OF_ONE = writersOf(OF_ONE);
const WRITERS_OF_MANY = writersOf(FACT_COLUMNS);

/** The inside of a JSON object. */
export function factsText({ facts, handoff }: Decision, count: FactCount): string {
  const [only] = facts;
  if (count === 'one' && only !== undefined) return factText(WRITERS_OF_ONE, only, handoff);
  return `"facts":[${facts.map((fact) => `{${factText(WRITERS_OF_MANY, fact, handoff)}}`).join(',')}]`;
}

/** Leaves out values that equal the record; the database copies them from the record. */
function factText(writers: readonly Writer[], fact: Fact, handoff: Handoff): string {
  let written = '';
  for (const { key, like, usual, write } of writers) {
    const value = write(fact);
    if (value === null || value === usual || (like !== undefined && value === handoff[like[0]])) continue;
    written += `${written === '' ? '' : ','}${key}${jsonOf(value)}`;
  }
  return written;
}

/** The facts of `source`, one row each, in the order in which they were decided. */
export function insertFactsSql(source: string, count: FactCount): string {
  const of = count === 'one' ? 's' : 'f';
  const [from, order] =
    count === 'one'
      ? [`${source} s`, 's.place']
      : [
          `${source} s cross join lateral json_to_recordset(s.facts) as f(${typed(asSent(FACT_COLUMNS))})`,
          's.place, f.fact_revision',
        ];
  const values = FACT_COLUMNS.map((column) => {
    const { name, like } = column;
    if (!OF_ONE.includes(column) && count === 'one') return name === 'revision' ? 's.revision' : 's.trail';
    const sent = `${of}.${sentName(name)}`;
    return like === undefined ? sent : `coalesce(${sent}, s.${like[1]})`;
  });
  return `new_facts as (insert into baton.fact (n, ${factNames()})
  select s.n, ${values.join(', ')} from ${from} order by ${order})`;
}

/** What `insertFactsSql` reads of its source besides `n` and `place`. */
export function factColumnNames(count: FactCount, of = ''): string {
  return named(SENT_FACT_COLUMNS[count], of);
}

/** The prefix of all inbox kinds. */
const INBOX = inboxKind('' as AgentId);

/** A known key is not inserted again. Inbox entries are never due. */
export function keepEffects(source: string): string {
  return `kept as (insert into baton.effect (key, kind, payload, due_at)
  select e.key, e.kind, e.payload, case when starts_with(e.kind, '${INBOX}') then 'infinity' else clock_timestamp() end
  from ${source} s cross join lateral json_to_recordset(s.effects) as e(key text, kind text, payload text)
  on conflict (key) do nothing)`;
}

export function keepOutcomes(source: string): string {
  return `ended as (insert into baton.outcome (n, text) select n, outcome from ${source} where outcome is not null
  on conflict (n) do update set text = excluded.text)`;
}
