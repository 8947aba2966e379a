/**
 * The tables: a narrow row of what changes (`handoff`), beside it what is only carried (`body`, `outcome`) and what
 * only grows (`fact`). The checks repeat the lifecycle, so that even a wrong program cannot write an impossible record.
 *
 * Every row of `handoff` that is written again is written into each of its indexes, so those are few and partial:
 * nothing on the way of a claim grows with what is finished. Lists have their indexes on `body`, which never changes.
 * Texts that are compared have the collation "C"; `n` numbers handoffs in the order in which they came.
 */
import { OPEN_STATES, STATES } from '../../domain/lifecycle.ts';
import { legalSteps, stateNumber } from '../numbers.ts';
import {
  ACCEPTED,
  BLOCKED,
  DELIVERED,
  DOCUMENT,
  FINAL_NUMBERS,
  FOR_PLACE,
  OFFERED,
  RESTING_NUMBERS,
} from './numbers.ts';

export const SCHEMA_VERSION = 2;

/** Shorter than a list, where the final states are the last ones; it is read anew by every statement. */
const IS_FINAL =
  Math.min(...FINAL_NUMBERS) === STATES.length - FINAL_NUMBERS.length
    ? `old.state >= ${Math.min(...FINAL_NUMBERS)}`
    : `old.state in (${FINAL_NUMBERS.join(', ')})`;

/** Milliseconds since 1970 by the server's clock. In a subquery it is asked once, and an index can be searched by it. */
export const NOW_MS = `(select floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)`;

/**
 * Checks of one column are domains: those are kept ready for each session, while a check of a table is read from the
 * catalogue anew by every statement, which took as long as the rest of a small one.
 */
const DOMAINS = `
create domain baton.state as smallint check (value between 0 and ${STATES.length - 1});
create domain baton.step as smallint check (value in (${legalSteps().join(', ')}));
create domain baton.count as integer check (value >= 0);
`;

const HANDOFF = `
create sequence baton.handoff_n;

create table baton.handoff (
  id text collate "C" primary key,
  n bigint not null,
  recipient text collate "C" not null,
  revision baton.count not null,
  state baton.state not null,
  since bigint not null,
  offered_at bigint not null,
  not_before bigint not null,
  rank bigint not null,
  due_at bigint,
  attempt baton.count not null,
  excused baton.count not null,
  fence baton.count not null,
  session text collate "C",
  holder text collate "C",
  until_at bigint,
  blocked smallint,
  question text,
  claims text,
  trail text not null,
  constraint held_while_accepted check (case state
    when ${ACCEPTED} then holder is not null
    when ${DELIVERED} then session is null
    else holder is null and session is null and (blocked is not null) = (state = ${BLOCKED}) end)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

create index handoff_offered on baton.handoff (recipient, rank, n, not_before) where state = ${OFFERED};
create index handoff_held on baton.handoff (session) where state = ${ACCEPTED};
create index handoff_due on baton.handoff (due_at) where due_at is not null;
create index handoff_resting on baton.handoff (state) where state in (${RESTING_NUMBERS.join(', ')});

create function baton.final_is_final() returns trigger language plpgsql as $body$
begin
  raise exception 'handoff % is final', old.id using errcode = 'check_violation';
end $body$;
-- After, because a trigger before an update locks each row a second time.
create trigger final_is_final after update on baton.handoff for each row
  when (${IS_FINAL}) execute function baton.final_is_final();
`;

const BESIDE = `
create table baton.body (
  n bigint primary key,
  id text collate "C" not null,
  kind smallint not null,
  sender text collate "C" not null,
  recipient text collate "C" not null,
  priority smallint not null,
  title text,
  task text collate "C",
  lineage text,
  terms text,
  created_at bigint not null,
  text text not null
);
-- Where the server can, with the faster of its two ways to compress; the other took as long as writing the row.
do $lz4$ begin
  execute 'alter table baton.body alter column text set compression lz4';
exception when others then null;
end $lz4$;
create index body_created on baton.body (created_at, n);
create index body_sender on baton.body (sender, created_at, n);
create index body_recipient on baton.body (recipient, created_at, n);
create index body_task on baton.body (task, created_at, n) where task is not null;

create table baton.outcome (n bigint primary key, text text not null);

-- The number of the writing transaction tells which facts may still get neighbours before them.
create table baton.fact (
  n bigint not null,
  revision integer not null,
  xid xid8 not null default pg_current_xact_id(),
  seq bigint not null generated always as identity (cache 50),
  at bigint not null,
  by text not null,
  step baton.step not null,
  attempt integer not null,
  fence integer not null,
  detail text,
  hash text not null,
  primary key (n, revision)
);
create index fact_order on baton.fact (xid, seq);

create table baton.dependency (id text collate "C", needs text collate "C", primary key (id, needs));
-- One row: how many inserts with dependencies there have been. Whoever adds edges must have seen all others.
create table baton.graph (one boolean primary key default true check (one), revision bigint not null default 0);
insert into baton.graph default values;

create table baton.request (
  by text collate "C",
  key text collate "C",
  hash text not null,
  ids text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (by, key)
);
create index request_at on baton.request (at);

create table baton.effect (
  seq bigint primary key generated always as identity,
  key text collate "C" not null unique,
  kind text not null,
  payload text not null,
  due_at timestamptz not null default clock_timestamp(),
  done boolean not null default false
);
create index effect_due on baton.effect (due_at, seq) where not done;
`;

const PROCESSES = `
create table baton.session (
  id text collate "C" primary key,
  n bigint not null generated always as identity,
  agent text collate "C" not null,
  process text not null,
  groups text not null default '[]',
  beat_at timestamptz not null default clock_timestamp(),
  ended boolean not null default false
) with (fillfactor = 50);

-- Who waits for what: only then is anybody notified. Nothing here has to survive anything.
create unlogged table baton.listener (
  topic text collate "C",
  process text collate "C",
  until timestamptz not null,
  primary key (topic, process)
) with (fillfactor = 50);

create table baton.duty (host text collate "C" primary key, process text not null, beat_at timestamptz not null);
`;

/**
 * How much is open per agent, for those agents that have, or once had, a limit: a limit costs one row, however much is
 * open or finished, and costs nothing where there is none.
 *
 * A counter begins with a count of what is open. It stays right from then on because every statement that opens or
 * settles a handoff also adds to the counters it finds. The lock is what makes "finds" certain: SHARE waits for all
 * statements that are writing handoffs, so the count sees what they wrote; and statements that come later wait for it
 * before they take their snapshot (the server locks the tables of a statement first, and looks only then), so they see
 * the new counter. Two that begin the same counter at once count the same, because nobody writes under either's lock.
 */
const OPEN = OPEN_STATES.map(stateNumber);
const PLACES = `
create table baton.place (
  agent text collate "C",
  direction smallint check (direction in (0, 1)),
  all_open integer not null,
  documents_open integer not null,
  primary key (agent, direction)
) with (fillfactor = 50);

create function baton.begin_counting(who text, which smallint) returns void language plpgsql as $body$
begin
  lock table baton.handoff in share mode;
  insert into baton.place (agent, direction, all_open, documents_open)
    select who, which, count(*), count(*) filter (where b.kind = ${DOCUMENT})
    from (
      select n from baton.handoff where state = ${OFFERED}
      union all select n from baton.handoff where state = ${ACCEPTED}
      union all select n from baton.handoff
        where state in (${RESTING_NUMBERS.filter((state) => OPEN.includes(state)).join(', ')})
          and blocked is distinct from ${FOR_PLACE}
    ) h join baton.body b on b.n = h.n
    where who = case which when 0 then b.sender else b.recipient end
    on conflict do nothing;
end $body$;
`;

/**
 * Chains, places and inboxes have their own small indexes. Words are found through `words`, which the duty holder feeds
 * from the facts up to `indexed`, a cursor of the facts.
 */
const SECOND = `
create table baton.token (
  id text collate "C" primary key,
  hash text collate "C" not null unique,
  record text not null,
  revoked_at bigint
);

create index body_chain on baton.body (((lineage::jsonb) ->> 'root') collate "C", n) where lineage is not null;
create index effect_kind on baton.effect (kind collate "C", seq) where not done;
alter table baton.effect add column tries integer not null default 0;

create table baton.words (n bigint primary key, words tsvector not null);
create index words_words on baton.words using gin (words);
create table baton.indexed (one boolean primary key default true check (one), cursor text not null);
insert into baton.indexed (cursor) values ('');
`;

/** One per version, never changed once published; each turns the one before it into its own. */
export const MIGRATIONS: readonly string[] = [DOMAINS + HANDOFF + BESIDE + PROCESSES + PLACES, SECOND];
