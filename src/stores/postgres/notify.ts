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
 * Of those who wait for an agent's offers, as many are chosen by chance as there are offers; the others ask a little later
 * whether anything is left. With eight idle workers and 20 offers a second, an offer took 9.5 looks with locks and 35
 * statements while all of them were woken, and takes 2.8 and 19.
 *
 * With `columns`, the only one that comes for an agent is told whole, so that whoever waits for it need not look it up (from
 * send to handler 2.7 ms instead of 3.0 on a quiet machine, one round trip of three);
 * but every role of the database can listen, so one in which anybody wrote anything (`WRITTEN`) is only hinted at.
 */
export function notifyTopic(source: string, columns: string | null = null): string {
  const record =
    columns === null
      ? ''
      : ` || coalesce((select ' ' || ${asText(columns)} from ${source} where news.many = 1 and state = ${OFFERED}
    and '@' || recipient = news.topic and num_nonnulls(${WRITTEN.join(', ')}) = 0), '')`;
  return `rung as materialized (select pg_notify('${CHANNEL}', news.topic || listening.chosen${record})
  from (select case state when ${OFFERED} then '@' || recipient else 'settled' end as topic, count(*) as many
    from ${source} where state in (${[OFFERED, ...FINAL_NUMBERS].join(', ')}) group by 1) news
  cross join lateral (select case when news.topic = 'settled' then '' else ' ' || string_agg(left(l.process, ${NAME_LENGTH}), ',') end as chosen
    from (select process from baton.listener where topic = news.topic and until > clock_timestamp()
      order by random() limit least(news.many, ${CHOSEN_MAX})) l having count(*) > 0) listening)`;
}

/** A notification has room for so many names, and more than these share what is on offer among themselves soon enough. */
const CHOSEN_MAX = 16;
/** So much of the name of a process tells it from the others; should two be alike, both are woken. */
const NAME_LENGTH = 8;

/** Written alike by whoever tells of a record and by whoever makes sure of it. */
export function asText(columns: string): string {
  return `json_build_array(${columns})::text`;
}

/** What a notification says: a topic, and perhaps the record that has come, as text. */
export function readNotification(payload: string): { readonly topic: string; readonly record: string | null } {
  const { topic, rest } = partsOf(payload);
  const record = rest.indexOf('[');
  return { topic, record: record === -1 ? null : rest.slice(record) };
}

/** Whether this process is to look at once. A notification that names nobody is for everybody. */
export function isChosen(payload: string, process: string): boolean {
  const [names = ''] = partsOf(payload).rest.split(' ', 1);
  return names === '' || names.startsWith('[') || names.split(',').includes(process.slice(0, NAME_LENGTH));
}

function partsOf(payload: string): { readonly topic: string; readonly rest: string } {
  const end = payload.indexOf(' ');
  return end === -1 ? { topic: payload, rest: '' } : { topic: payload.slice(0, end), rest: payload.slice(end + 1) };
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
