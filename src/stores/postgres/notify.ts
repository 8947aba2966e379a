/**
 * How processes tell each other: a notification with the name of a topic, sent by the statement that writes, and only
 * if somebody waits for that topic. Notifying is dear: the server does it under a lock of the whole database that is
 * held until the commit is on the disk, and it wakes a process at each end.
 */
import { FINAL_STATES } from '../../domain/lifecycle.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Topic } from '../store.ts';
import { FINAL_NUMBERS, OFFERED } from './numbers.ts';

/** The @ keeps an agent called "settled" apart from the topic of that name. */
export function topicName(topic: Topic): string {
  return topic.kind === 'settled' ? 'settled' : `@${topic.agent}`;
}

/** The topic that hears of a record in this state; null: nobody waits for that. */
export function topicOf({ state, to }: Handoff): string | null {
  if (state === 'offered') return `@${to}`;
  return FINAL_STATES.includes(state) ? 'settled' : null;
}

export function isNotifiable(handoff: Handoff): boolean {
  return topicOf(handoff) !== null;
}

/** Rewritten with the schema, so that two stores in one database do not wake each other. */
export const CHANNEL = 'baton.hints';

/**
 * The columns that hold more than names, numbers and digests. All others together are far shorter than the 8000 bytes
 * at which a notification fails the statement that sends it.
 */
const WRITTEN = ['title', 'terms', 'question', 'claims', 'extra'] as const;

/**
 * The pair of `topicOf`, over rows with `state` and `recipient`. What it answers must be read, or nothing is sent.
 *
 * With `columns`, the only one that comes for an agent is told whole, so that whoever waits for it need not look it up;
 * but every role of the database can listen, so one in which anybody wrote anything (`WRITTEN`) is only hinted at.
 */
export function notifyTopic(source: string, columns: string | null = null): string {
  const record =
    columns === null
      ? ''
      : ` || coalesce((select ' ' || ${asText(columns)} from ${source} where news.many = 1 and state = ${OFFERED}
    and '@' || recipient = news.topic and num_nonnulls(${WRITTEN.join(', ')}) = 0), '')`;
  return `rung as materialized (select pg_notify('${CHANNEL}', news.topic${record})
  from (select case state when ${OFFERED} then '@' || recipient else 'settled' end as topic, count(*) as many
    from ${source} where state in (${[OFFERED, ...FINAL_NUMBERS].join(', ')}) group by 1) news
  where exists (select from baton.listener l where l.topic = news.topic and l.until > clock_timestamp()))`;
}

/** Written alike by whoever tells of a record and by whoever makes sure of it. */
export function asText(columns: string): string {
  return `json_build_array(${columns})::text`;
}

/** What a notification says: a topic, and perhaps the record that has come, as text. */
export function readNotification(payload: string): { readonly topic: string; readonly record: string | null } {
  const end = payload.indexOf(' ');
  if (end === -1) return { topic: payload, record: null };
  return { topic: payload.slice(0, end), record: payload.slice(end + 1) };
}

/** Longer than between two renewals, so that whoever waits stays known; short, so that the dead are forgotten. */
const KNOWN_FOR = '60 seconds';
export const RENEW_MS = 20_000;

/** Without waiting for the disk: it is forgotten in a crash anyway. */
const QUICK = `with quick as (select set_config('synchronous_commit', 'off', true))`;

export const LISTEN_ROW_SQL = `${QUICK} insert into baton.listener (topic, process, until)
select topic, $1::text, clock_timestamp() + interval '${KNOWN_FOR}' from quick, json_array_elements_text($2::text::json) as wanted(topic)
on conflict (topic, process) do update set until = excluded.until`;

/** Also takes out those of processes that died. */
export const UNLISTEN_ROW_SQL = `${QUICK} delete from baton.listener using quick
where (process = $1::text and topic in (select json_array_elements_text($2::text::json))) or until < clock_timestamp()`;
