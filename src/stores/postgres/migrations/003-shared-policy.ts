/**
 * Version 3: what several processes must agree on.
 *
 * A released migration is never edited; this one is not released yet.
 */
export const SHARED_POLICY = `
-- Who is named as a verifier, and which artifacts are named, by handoff, in the order of lists. Terms never change, so
-- neither do these. A row whose terms name neither, which is nearly every row, does not reach the function.
create table baton.verifier (
  agent text collate "C",
  created_at bigint,
  n bigint,
  primary key (agent, created_at, n)
);
create table baton.artifact_use (
  artifact text collate "C",
  created_at bigint,
  n bigint,
  primary key (artifact, created_at, n)
);
create function baton.index_terms_of(terms json, at bigint, number bigint) returns void language sql as $body$
  insert into baton.verifier (agent, created_at, n)
    select distinct name, at, number from json_array_elements_text(coalesce(terms -> 'verifiers', '[]')) as x(name);
  insert into baton.artifact_use (artifact, created_at, n)
    select distinct name, at, number from json_array_elements_text(coalesce(terms -> 'artifacts', '[]')) as x(name);
$body$;
create function baton.index_terms() returns trigger language plpgsql as $body$
begin
  perform baton.index_terms_of(new.terms::json, new.created_at, new.n);
  return null;
end $body$;
create trigger index_terms after insert on baton.body for each row
  when (new.terms like '%"verifiers":["%' or new.terms like '%"artifacts":["%') execute function baton.index_terms();
-- A damaged record is no reason not to open the database.
do $backfill$
declare b record;
begin
  for b in select n, created_at, terms from baton.body
    where terms like '%"verifiers":["%' or terms like '%"artifacts":["%'
  loop
    begin
      perform baton.index_terms_of(b.terms::json, b.created_at, b.n);
    exception when others then null;
    end;
  end loop;
end $backfill$;
-- Access tokens: who made, revoked or was denied which, and whether the first operator token can still be made freely.
alter table baton.token add column keeps_leases integer not null default 0;
create table baton.token_log (
  seq bigint generated always as identity primary key,
  at bigint not null,
  what text collate "C" not null,
  token text collate "C",
  by text not null,
  detail text not null
);
create index token_log_denied on baton.token_log (seq) where what = 'denied';
insert into baton.token_log (at, what, token, by, detail)
select (record::jsonb ->> 'createdAt')::bigint, 'minted', id, 'unknown: before the log', '{}' from baton.token
order by 1, id;
create table baton.token_bootstrap (one boolean primary key default true check (one), closed_at bigint);
insert into baton.token_bootstrap (closed_at) select min((record::jsonb ->> 'createdAt')::bigint) from baton.token
where record::jsonb ->> 'agent' is null and record::jsonb -> 'scopes' @> '["write"]'
and coalesce(record::jsonb ->> 'label', '') not like 'baton serve, process %';
-- How long this session may be silent. Sessions of older programs had the default.
alter table baton.session add column lease_ms bigint not null default 10000;
-- Each version of the workspace's policy, as JSON; the newest one holds.
create table baton.policy (
  version bigint primary key check (version > 0),
  policy text not null,
  by text not null,
  at bigint not null
);
-- The server's clock beside the monotonic clock of a client, as somebody last read them together: whoever comes next can
-- tell whether the server's clock was set meanwhile.
create table baton.clock (
  n integer primary key check (n = 1),
  boot text not null,
  monotonic_ms bigint not null,
  wall_ms bigint not null,
  steady_since_ms bigint not null
);
`;
