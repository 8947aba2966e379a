/** What is written together with a record, whether it is made or moved: its facts, its outcome, its effects. */
import { inboxKind, type Decision } from '../../domain/decision.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId } from '../../domain/names.ts';
import { stepNumber } from '../numbers.ts';
import { named, typed, type Column } from './rows.ts';

/** Nearly every decision has one fact, and then it travels in the row of its record. */
export type Telling = 'one' | 'many';

export function tellingOf(decisions: readonly Decision[]): Telling {
  return decisions.every(({ facts }) => facts.length === 1) ? 'one' : 'many';
}

const FACT = [
  ['told_at', 'bigint'],
  ['told_by', 'text'],
  ['step', 'smallint'],
  ['told_attempt', 'integer'],
  ['told_fence', 'integer'],
  ['detail', 'text'],
] as const satisfies readonly Column[];
const FACT_OF_MANY = [['told_revision', 'integer'], ...FACT, ['hash', 'text']] as const satisfies readonly Column[];

/** The columns in which facts come along with their record. */
export const TOLD: Record<Telling, readonly Column[]> = { one: FACT, many: [['facts', 'json']] };

export function toldValues({ facts, handoff }: Decision, telling: Telling): object {
  const [only] = facts;
  if (telling === 'one' && only !== undefined) return factValues(only, handoff);
  return {
    facts: facts.map((fact) => {
      const values: FactValues = factValues(fact, handoff);
      values.told_revision = fact.revision;
      if (fact.hash !== handoff.trail) values.hash = fact.hash;
      return values;
    }),
  };
}

type FactValues = Record<(typeof FACT_OF_MANY)[number][0], string | number | undefined>;

/** What is as the record says is left out; the database takes it from there. */
function factValues({ at, by, deed, from, to, attempt, fence, detail }: Fact, handoff: Handoff): FactValues {
  return {
    told_revision: undefined,
    hash: undefined,
    told_at: at === handoff.since ? undefined : at,
    told_by: by,
    step: stepNumber(deed, from, to),
    told_attempt: attempt === handoff.attempt ? undefined : attempt,
    told_fence: fence === handoff.fence ? undefined : fence,
    detail: detail === '' ? undefined : detail,
  };
}

/** The facts of `source`, one row each, in the order in which they were decided. */
export function tellFacts(source: string, telling: Telling): string {
  const [of, revision, hash, from, order] =
    telling === 'one'
      ? ['s', 's.revision', 's.trail', `${source} s`, 's.place']
      : [
          'f',
          'f.told_revision',
          'coalesce(f.hash, s.trail)',
          `${source} s cross join lateral json_to_recordset(s.facts) as f(${typed(FACT_OF_MANY)})`,
          's.place, f.told_revision',
        ];
  return `told as (insert into baton.fact (n, revision, at, by, step, attempt, fence, detail, hash)
  select s.n, ${revision}, coalesce(${of}.told_at, s.since), ${of}.told_by, ${of}.step,
    coalesce(${of}.told_attempt, s.attempt), coalesce(${of}.told_fence, s.fence), ${of}.detail, ${hash}
  from ${from} order by ${order})`;
}

/** What `tellFacts` reads of its source besides `n` and `place`. */
export function toldNames(telling: Telling, of = ''): string {
  return named(TOLD[telling], of);
}

/** What every kind of inbox begins with. */
const INBOX = inboxKind('' as AgentId);

/** The same effect decided twice is one effect. What goes into an inbox is never due. */
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
