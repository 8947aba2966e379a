/**
 * Processes notify each other of changes: the statement that writes sends the name of a topic, but only if a process waits
 * for that topic. Notifying is expensive: the server holds a lock of the whole database until the commit is on the disk.
 */
import { FINAL_STATES } from '../../domain/lifecycle.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Topic } from '../store.ts';
import { FINAL_NUMBERS, OFFERED } from './sql-numbers.ts';

/** The @ separates an agent called "settled" from the topic of that name. */
export function topicName(topic: Topic): string {
  return topic.kind === 'settled' ? 'settled' : `@${topic.agent}`;
}

/** The topic of a record in this state. Null: no topic. */
export function topicOf({ state, to }: Handoff): string | null {
  if (state === 'offered') return `@${to}`;
  return FINAL_STATES.includes(state) ? 'settled' : null;
}

export function isNotifiable(handoff: Handoff): boolean {
  return topicOf(handoff) !== null;
}

/** Rewritten with the name of the schema, so that two stores in one database do not wake each other. */
export const CHANNEL = 'baton.hints';

/**
 * The columns with free text. All others together are far below the 8000 bytes at which a notification fails its
 * statement.
 */
const FREE_TEXT_COLUMNS = ['title', 'terms', 'question', 'claims', 'extra'] as const;

/**
 * `topicOf` in SQL, over rows with `state` and `recipient`. The statement must select from it, or nothing is sent.
 *
 * Of the processes that wait for an agent's offers, as many are chosen at random as there are offers; the others check a
 * little later. With eight idle workers and 20 offers a second, an offer then takes 2.8 locking reads and 19 statements
 * instead of 9.5 and 35.
 *
 * With `columns`, a single offer for an agent is sent with its record, so that the waiter need not read it (2.7 ms instead
 * of 3.0 from send to handler on a quiet machine, one round trip of three). Every role of the database can listen, so a
 * record with free text (`FREE_TEXT_COLUMNS`) is not sent.
 */
export function notifyTopic(source: string, columns: string | null = null): string {
  const record =
    columns === null
      ? ''
      : ` || coalesce((select ' ' || ${asText(columns)} from ${source} where news.many = 1 and state = ${OFFERED}
    and '@' || recipient = news.topic and num_nonnulls(${FREE_TEXT_COLUMNS.join(', ')}) = 0), '')`;
  return `notifications as materialized (select pg_notify('${CHANNEL}', news.topic || listening.chosen${record})
  from (select case state when ${OFFERED} then '@' || recipient else 'settled' end as topic, count(*) as many
    from ${source} where state in (${[OFFERED, ...FINAL_NUMBERS].join(', ')}) group by 1) news
  cross join lateral (select case when news.topic = 'settled' then '' else ' ' || string_agg(left(l.process, ${NAME_LENGTH}), ',') end as chosen
    from (select process from baton.listener where topic = news.topic and until > clock_timestamp()
      order by random() limit least(news.many, ${CHOSEN_MAX})) l having count(*) > 0) listening)`;
}

/** A notification has room for this many names. Further processes find what is left with their next check. */
const CHOSEN_MAX = 16;
/** This prefix of a process name is enough; if two are equal, both are woken. */
const NAME_LENGTH = 8;

/** The text of a record, the same in the notification and in the check of it. */
export function asText(columns: string): string {
  return `json_build_array(${columns})::text`;
}

/** Reads a notification: its topic, and the text of the record if it has one. */
export function readNotification(payload: string): { readonly topic: string; readonly record: string | null } {
  const { topic, rest } = partsOf(payload);
  const record = rest.indexOf('[');
  return { topic, record: record === -1 ? null : rest.slice(record) };
}

/** Whether this process is to check at once. A notification without names is for all. */
export function isChosen(payload: string, process: string): boolean {
  const [names = ''] = partsOf(payload).rest.split(' ', 1);
  return names === '' || names.startsWith('[') || names.split(',').includes(process.slice(0, NAME_LENGTH));
}

function partsOf(payload: string): { readonly topic: string; readonly rest: string } {
  const end = payload.indexOf(' ');
  return end === -1 ? { topic: payload, rest: '' } : { topic: payload.slice(0, end), rest: payload.slice(end + 1) };
}

/** Longer than the time between two renewals; short, so that dead processes expire soon. */
const KNOWN_FOR = '60 seconds';
export const RENEW_MS = 20_000;

/** Does not wait for the disk: a crash of the server may lose it. */
const QUICK = `with quick as (select set_config('synchronous_commit', 'off', true))`;

export const LISTEN_ROW_SQL = `${QUICK} insert into baton.listener (topic, process, until)
select topic, $1::text, clock_timestamp() + interval '${KNOWN_FOR}' from quick, json_array_elements_text($2::text::json) as wanted(topic)
on conflict (topic, process) do update set until = excluded.until`;

/** Also deletes expired rows of dead processes. */
export const UNLISTEN_ROW_SQL = `${QUICK} delete from baton.listener using quick
where (process = $1::text and topic in (select json_array_elements_text($2::text::json))) or until < clock_timestamp()`;
