/** What is written together with a record, whether it is made or moved: its facts, its outcome, its effects. */
import type { Fact } from '../../domain/facts.ts';
import { stepNumber } from '../numbers.ts';
import { named, typed } from './rows.ts';

export function factValues({ revision, at, by, deed, from, to, attempt, fence, detail, hash }: Fact): object {
  const step = stepNumber(deed, from, to);
  return { revision, at, by, step, attempt, fence, hash, detail: detail === '' ? undefined : detail };
}

const FACT_COLUMNS = [
  ['revision', 'integer'],
  ['at', 'bigint'],
  ['by', 'text'],
  ['step', 'smallint'],
  ['attempt', 'integer'],
  ['fence', 'integer'],
  ['detail', 'text'],
  ['hash', 'text'],
] as const;

/** The facts of `source` (with columns `n`, `place` and `facts`), one row each, in order. */
export function tellFacts(source: string): string {
  return `told as (insert into baton.fact (n, ${named(FACT_COLUMNS)})
  select s.n, ${named(FACT_COLUMNS, 'f.')}
  from ${source} s cross join lateral json_to_recordset(s.facts) as f(${typed(FACT_COLUMNS)})
  order by s.place, f.revision)`;
}

/** The same effect decided twice is one effect. */
export function keepEffects(source: string): string {
  return `kept as (insert into baton.effect (key, kind, payload)
  select e.key, e.kind, e.payload
  from ${source} s cross join lateral json_to_recordset(s.effects) as e(key text, kind text, payload text)
  on conflict (key) do nothing)`;
}

export function keepOutcomes(source: string): string {
  return `ended as (insert into baton.outcome (n, text) select n, outcome from ${source} where outcome is not null
  on conflict (n) do update set text = excluded.text)`;
}
