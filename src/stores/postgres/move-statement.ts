/**
 * The text of the one statement that moves records. Every move is guarded, and a record that does not move writes no
 * facts, outcome or effects.
 */
import { asText, notifyTopic } from './notify.ts';
import { ERASED_BODY, ERASED_DETAIL } from '../../domain/erasure.ts';
import { ERASE_STEPS } from '../stored-numbers.ts';
import { OFFERED } from './sql-numbers.ts';
import { ADD_TO_COUNTERS, GATE, IS_OPEN, LOCKED_COUNTERS, NO_COUNTERS } from './limits.ts';
import { isPausedSql } from './pauses.ts';
import { cachedStatement } from './cached-statement.ts';
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

/** The optional parts of the statement. */
export interface MoveParts {
  readonly factCount: FactCount;
  readonly outcomes: boolean;
  readonly effects: boolean;
  /** Whether slots under limits are taken or released, and whether limit counters are updated. */
  readonly counting: 'no' | 'if-none' | 'yes';
  readonly joining: boolean;
  readonly gated: boolean;
  readonly bodies: boolean;
  readonly best: boolean;
  readonly notified: boolean;
  readonly notifying: boolean;
  /** Whether a draft is revised. */
  readonly revising: boolean;
  /** Whether the content of a finished handoff is erased. */
  readonly erasing: boolean;
}

export const statementFor = cachedStatement(moveStatement);

/** What is sent with a move besides record and facts. */
const EXTRA_COLUMNS: readonly Column[] = [
  ['place', 'integer'],
  ['taken', 'boolean'],
  ['notified', 'text'],
  ['effects', 'json'],
  ['new_session', 'text'],
  ['gain', 'integer'],
  ['sender', 'text'],
  ['document', 'boolean'],
];

/** What is sent with a revised draft besides its columns: its body and its search words. */
const REVISION: readonly Column[] = [
  ['body', 'text'],
  ['words', 'text'],
];

/** Writes the search words at once: the index has passed the first fact, which triggers indexing. */
const REVISE = `revised as (update baton.body b set (${named(REVISED)}, text) = (${named(REVISED, 'm.')}, m.body)
  from moved m where b.n = m.n and m.body is not null),
reworded as (insert into baton.words (n, words)
  select n, array_to_tsvector(string_to_array(words, ' ')) from moved where body is not null
  on conflict (n) do update set words = excluded.words)`;

/** Only an erasure has this body. Unsent effects are never sent; their keys stay used. */
const ERASE = `erased as (update baton.fact f set detail = '${ERASED_DETAIL}'
  from moved m where f.n = m.n and m.body = '${ERASED_BODY}' and f.revision < m.revision
    and f.detail is not null and f.step not in (${ERASE_STEPS.join(', ')})),
unsent as (update baton.effect e set payload = '{}', done = true
  from moved m where e.key > m.id || ':' and e.key < m.id || ';' and m.body = '${ERASED_BODY}')`;

/**
 * Locks a session that takes a handoff against being ended (not against heartbeats) until the commit, so that the process
 * that ends it later finds the handoff.
 */
const ALIVE = `alive as materialized (select s.id from (select distinct new_session from given) taker
  join baton.session s on s.id = taker.new_session where not s.ended order by s.id for key share of s)`;

/** The record from a notification must equal the stored record. */
const MATCHES_NOTIFICATION = `(g.notified is null or g.notified =
  (select ${asText(`${ROW_COLUMNS}, h.rank, h.n`)} from baton.body b where b.n = h.n))`;

/** A claim of prefetched handoffs is valid only if nothing better and no pause has come since. */
function nothingBetter(recipient: string, rank: string, n: string, passed: string): string {
  return `not exists (select from baton.handoff better where better.recipient = ${recipient}::text
  and better.state = ${OFFERED} and better.not_before <= ${NOW_MS}
  and (better.rank, better.n) < (${rank}::bigint, ${n}::bigint)
  and better.id not in (select json_array_elements_text(${passed}::text::json)))
  and not ${isPausedSql(`${recipient}::text`)}`;
}

export function moveStatement(parts: MoveParts): string {
  const {
    factCount,
    outcomes,
    effects,
    counting,
    joining,
    gated,
    bodies,
    best,
    notified,
    notifying,
    revising,
    erasing,
  } = parts;
  let count = 0;
  const next = (): string => `$${(count += 1)}`;
  const columns: readonly Column[] = [
    ['id', 'text'],
    ['was', 'integer'],
    ...CHANGING,
    ...SENT_FACT_COLUMNS[factCount],
    ...EXTRA_COLUMNS,
    ...(revising ? [...REVISED, ...REVISION] : []),
  ];
  const records = `json_to_recordset(${next()}::text::json)`;
  const source = outcomes
    ? `rows from (${records} as (${typed(columns)}), ${split(next())}) as g(${named(columns)}, outcome)`
    : `${records} as g(${typed(columns)})`;
  const own = `${factColumnNames(factCount, 'g.')}, ${named(EXTRA_COLUMNS, 'g.')}${outcomes ? ', g.outcome' : ''}`;
  const carried = `${own}${revising ? `, ${named([...REVISED, ...REVISION], 'g.')}` : ''}`;
  const sent = `${own}${revising ? `, ${filled(REVISED)}, ${named(REVISION, 'g.')}` : ''}`;
  const locks = gated ? [LOCKED_COUNTERS(next()), GATE()] : [];
  const conditions = [
    'h.id = g.id and h.revision = g.was',
    ...(joining ? ['(g.new_session is null or g.new_session in (select id from alive))'] : []),
    ...(notified ? [MATCHES_NOTIFICATION] : []),
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
    insertFactsSql('moved', factCount),
    ...(revising ? [REVISE] : []),
    ...(erasing ? [ERASE] : []),
    ...(outcomes ? [keepOutcomes('moved')] : []),
    ...(effects ? [keepEffects('moved')] : []),
    ...(counting === 'yes' ? [ADD_TO_COUNTERS('select sender, recipient, gain, document from moved')] : []),
    ...(notifying ? [notifyTopic('moved')] : []),
  ];
  const answers = [
    bodies
      ? `select 'moved', moved.id, null::smallint, null::integer, null::integer,
  (select b.text from baton.body b where b.n = moved.n and moved.taken) from moved`
      : `select 'moved', id, null::smallint, null::integer, null::integer, null::text from moved`,
    ...(joining ? [`select 'alive', id, null, null, null, null from alive`] : []),
    ...(gated ? [`select 'place', agent, direction, all_open, documents_open, null from locked`] : []),
    ...(notifying ? [`select 'notifications', null, null, count(*)::integer, null, null from notifications`] : []),
    ...(counting === 'if-none' ? [`select 'counters', null, null, null, null, null where not ${NO_COUNTERS}`] : []),
  ];
  return `with ${ctes.join(',\n')}\n${answers.join('\nunion all ')}`;
}
