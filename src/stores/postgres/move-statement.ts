/**
 * The text of the one statement with which records move. Its parts run in the order in which they need each other;
 * what is given is guarded piece by piece, and whatever does not move takes nothing along.
 */
import { asText, notifyTopic } from './notify.ts';
import { ERASED_BODY, ERASED_DETAIL } from '../../domain/erasure.ts';
import { ERASE_STEPS } from '../numbers.ts';
import { OFFERED } from './numbers.ts';
import { ADD_TO_PLACES, GATE, IS_OPEN, LOCKED_PLACES, NO_COUNTERS } from './limits.ts';
import { isPausedSql } from './pauses.ts';
import { rememberedStatement } from './remembered-statement.ts';
import { CHANGING, filled, named, REVISED, ROW_COLUMNS, split, typed, type Column } from './rows.ts';
import { NOW_MS } from './schema.ts';
import {
  keepEffects,
  keepOutcomes,
  insertFactsSql,
  SENT_FACT_COLUMNS,
  factColumnNames,
  type FactCount,
} from './fact-columns.ts';

/** The parts of the statement that not every batch needs: what is left out costs nothing. */
export interface MoveParts {
  readonly telling: FactCount;
  readonly outcomes: boolean;
  readonly effects: boolean;
  /** Whether places are taken or given up, and if so, whether there are counters to add to. */
  readonly counting: 'no' | 'if-none' | 'yes';
  readonly joining: boolean;
  readonly gated: boolean;
  readonly bodies: boolean;
  readonly best: boolean;
  readonly told: boolean;
  readonly notifying: boolean;
  /** Whether a draft is revised. */
  readonly revising: boolean;
  /** Whether what a finished handoff told is erased. */
  readonly erasing: boolean;
}

export const statementFor = rememberedStatement(moveStatement);

/** What comes along with a piece besides its record and its facts. */
const BESIDES: readonly Column[] = [
  ['place', 'integer'],
  ['taken', 'boolean'],
  ['told', 'text'],
  ['effects', 'json'],
  ['joins', 'text'],
  ['gain', 'integer'],
  ['sender', 'text'],
  ['document', 'boolean'],
];

/** What comes along with a revised draft besides its columns: what it carries, and the words under which it is found. */
const REVISION: readonly Column[] = [
  ['body', 'text'],
  ['words', 'text'],
];

/** The words are written at once: the index has passed the fact that would make it look again. */
const REVISE = `revised as (update baton.body b set (${named(REVISED)}, text) = (${named(REVISED, 'm.')}, m.body)
  from moved m where b.n = m.n and m.body is not null),
reworded as (insert into baton.words (n, words)
  select n, array_to_tsvector(string_to_array(words, ' ')) from moved where body is not null
  on conflict (n) do update set words = excluded.words)`;

/** Nothing but an erasure brings this body. What was not sent yet is never sent; the key of an effect stays used. */
const ERASE = `erased as (update baton.fact f set detail = '${ERASED_DETAIL}'
  from moved m where f.n = m.n and m.body = '${ERASED_BODY}' and f.revision < m.revision
    and f.detail is not null and f.step not in (${ERASE_STEPS.join(', ')})),
unsent as (update baton.effect e set payload = '{}', done = true
  from moved m where e.key > m.id || ':' and e.key < m.id || ';' and m.body = '${ERASED_BODY}')`;

/**
 * The session that takes something is locked against ending (not against beating) until the commit, so that whoever
 * ends it afterwards finds what it took.
 */
const ALIVE = `alive as materialized (select s.id from (select distinct joins from given) taker
  join baton.session s on s.id = taker.joins where not s.ended order by s.id for key share of s)`;

/** Who decided over what a notification said, decided over what the record says. */
const AS_TOLD = `(g.told is null or g.told =
  (select ${asText(`${ROW_COLUMNS}, h.rank, h.n`)} from baton.body b where b.n = h.n))`;

/** A claim was decided over what is best by an earlier look; it holds only if nothing better and no pause has come since. */
function nothingBetter(recipient: string, rank: string, n: string, passed: string): string {
  return `not exists (select from baton.handoff better where better.recipient = ${recipient}::text
  and better.state = ${OFFERED} and better.not_before <= ${NOW_MS}
  and (better.rank, better.n) < (${rank}::bigint, ${n}::bigint)
  and better.id not in (select json_array_elements_text(${passed}::text::json)))
  and not ${isPausedSql(`${recipient}::text`)}`;
}

export function moveStatement(parts: MoveParts): string {
  const { telling, outcomes, effects, counting, joining, gated, bodies, best, told, notifying, revising, erasing } =
    parts;
  let count = 0;
  const next = (): string => `$${(count += 1)}`;
  const columns: readonly Column[] = [
    ['id', 'text'],
    ['was', 'integer'],
    ...CHANGING,
    ...SENT_FACT_COLUMNS[telling],
    ...BESIDES,
    ...(revising ? [...REVISED, ...REVISION] : []),
  ];
  const records = `json_to_recordset(${next()}::text::json)`;
  const source = outcomes
    ? `rows from (${records} as (${typed(columns)}), ${split(next())}) as g(${named(columns)}, outcome)`
    : `${records} as g(${typed(columns)})`;
  const own = `${factColumnNames(telling, 'g.')}, ${named(BESIDES, 'g.')}${outcomes ? ', g.outcome' : ''}`;
  const carried = `${own}${revising ? `, ${named([...REVISED, ...REVISION], 'g.')}` : ''}`;
  const sent = `${own}${revising ? `, ${filled(REVISED)}, ${named(REVISION, 'g.')}` : ''}`;
  const locks = gated ? [LOCKED_PLACES(next()), GATE()] : [];
  const conditions = [
    'h.id = g.id and h.revision = g.was',
    ...(joining ? ['(g.joins is null or g.joins in (select id from alive))'] : []),
    ...(told ? [AS_TOLD] : []),
    ...(gated ? [IS_OPEN] : []),
    ...(best ? ['(g.taken is null or (select ok from best))'] : []),
    ...(counting === 'if-none' ? [NO_COUNTERS] : []),
  ];
  const ctes = [
    ...locks,
    `given as materialized (select id, was, ${filled(CHANGING)}, ${sent} from ${source})`,
    ...(joining ? [ALIVE] : []),
    ...(best ? [`best as materialized (select ${nothingBetter(next(), next(), next(), next())} as ok)`] : []),
    `moved as (update baton.handoff h set (${named(CHANGING)}) = (${named(CHANGING, 'g.')})
  from given g where ${conditions.join(' and ')}
  returning h.id, h.n, h.recipient, h.state, h.revision, h.since, h.attempt, h.fence, h.trail, ${carried})`,
    insertFactsSql('moved', telling),
    ...(revising ? [REVISE] : []),
    ...(erasing ? [ERASE] : []),
    ...(outcomes ? [keepOutcomes('moved')] : []),
    ...(effects ? [keepEffects('moved')] : []),
    ...(counting === 'yes' ? [ADD_TO_PLACES('select sender, recipient, gain, document from moved')] : []),
    ...(notifying ? [notifyTopic('moved')] : []),
  ];
  const answers = [
    bodies
      ? `select 'moved', moved.id, null::smallint, null::integer, null::integer,
  (select b.text from baton.body b where b.n = moved.n and moved.taken) from moved`
      : `select 'moved', id, null::smallint, null::integer, null::integer, null::text from moved`,
    ...(joining ? [`select 'alive', id, null, null, null, null from alive`] : []),
    ...(gated ? [`select 'place', agent, direction, all_open, documents_open, null from locked`] : []),
    ...(notifying ? [`select 'rung', null, null, count(*)::integer, null, null from rung`] : []),
    ...(counting === 'if-none' ? [`select 'counters', null, null, null, null, null where not ${NO_COUNTERS}`] : []),
  ];
  return `with ${ctes.join(',\n')}\n${answers.join('\nunion all ')}`;
}
