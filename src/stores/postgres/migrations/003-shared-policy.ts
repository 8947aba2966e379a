/**
 * Version 3: what several processes must agree on.
 *
 * A released migration is never edited; this one is not released yet.
 */
export const SHARED_POLICY = `
-- Who is named as a verifier, and which artifacts are named, by handoff, in the order of lists. Terms never change, so
-- neither do these. A row without terms of its own, which is nearly every row, does not reach the function.
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
create function baton.index_terms() returns trigger language plpgsql as $body$
begin
  insert into baton.verifier (agent, created_at, n)
    select distinct name, new.created_at, new.n
    from json_array_elements_text(coalesce(new.terms::json -> 'verifiers', '[]')) as x(name);
  insert into baton.artifact_use (artifact, created_at, n)
    select distinct name, new.created_at, new.n
    from json_array_elements_text(coalesce(new.terms::json -> 'artifacts', '[]')) as x(name);
  return null;
end $body$;
create trigger index_terms after insert on baton.body for each row
  when (new.terms is not null) execute function baton.index_terms();
insert into baton.verifier (agent, created_at, n)
  select distinct name, b.created_at, b.n
  from baton.body b cross join lateral json_array_elements_text(coalesce(b.terms::json -> 'verifiers', '[]')) as x(name)
  where b.terms is not null;
insert into baton.artifact_use (artifact, created_at, n)
  select distinct name, b.created_at, b.n
  from baton.body b cross join lateral json_array_elements_text(coalesce(b.terms::json -> 'artifacts', '[]')) as x(name)
  where b.terms is not null;
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
