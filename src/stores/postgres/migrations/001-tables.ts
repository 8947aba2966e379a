/**
 * Version 1: a narrow row of what changes (`handoff`), beside it what is only carried (`body`, `outcome`) and what only
 * grows (`fact`). The checks repeat the lifecycle of that version, so that even a wrong program cannot write an
 * impossible record.
 *
 * - Every update of a `handoff` row also updates its indexes, so those are few and partial: nothing on the claim path
 *   grows with finished work. Lists have their indexes on `body`, which never changes.
 * - Compared texts have the collation "C"; `n` numbers handoffs in the order in which they arrived.
 * - Checks of one column are domains: the server keeps those ready for each session, while it reads a table check from
 *   the catalogue for every statement, which took as long as the rest of a small statement.
 * - `place` counts open handoffs per agent, for agents that have or had a limit. A counter starts with a count of what
 *   is open and stays right because every statement that opens or settles a handoff adds to the counters it finds.
 *   SHARE waits for all statements that are writing handoffs, so the count sees what they wrote; later statements wait
 *   for the lock before they take their snapshot, so they see the new counter.
 *
 * A released migration is never edited.
 */
export const TABLES = `
create domain baton.state as smallint check (value between 0 and 9);
create domain baton.step as smallint check (value in (240, 241, 242, 307, 563, 769, 1032, 1048, 1064, 1096, 1289, 1305, 1321, 1337, 1353, 1555, 1815, 1847, 1863, 2066, 2098, 2326, 2342, 2358, 2374, 2593, 2868, 3121, 3377, 3653, 3907, 4161));
create domain baton.count as integer check (value >= 0);

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
    when 3 then holder is not null
    when 4 then session is null
    else holder is null and session is null and (blocked is not null) = (state = 2) end)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

create index handoff_offered on baton.handoff (recipient, rank, n, not_before) where state = 1;
create index handoff_held on baton.handoff (session) where state = 3;
create index handoff_due on baton.handoff (due_at) where due_at is not null;
create index handoff_resting on baton.handoff (state) where state in (0, 2, 4, 6, 7, 8, 9);

create function baton.final_is_final() returns trigger language plpgsql as $body$
begin
  raise exception 'handoff % is final', old.id using errcode = 'check_violation';
end $body$;
-- After, because a trigger before an update locks each row a second time.
create trigger final_is_final after update on baton.handoff for each row
  when (old.state >= 5) execute function baton.final_is_final();

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
    select who, which, count(*), count(*) filter (where b.kind = 1)
    from (
      select n from baton.handoff where state = 1
      union all select n from baton.handoff where state = 3
      union all select n from baton.handoff
        where state in (0, 2, 4)
          and blocked is distinct from 1
    ) h join baton.body b on b.n = h.n
    where who = case which when 0 then b.sender else b.recipient end
    on conflict do nothing;
end $body$;
`;
