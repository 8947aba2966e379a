/**
 * Version 3: what several processes must agree on.
 *
 * A released migration is never edited; this one is not released yet.
 */
export const SHARED_POLICY = `
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
`;
