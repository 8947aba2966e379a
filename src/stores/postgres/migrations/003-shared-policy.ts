/**
 * Version 3: what several processes must agree on.
 *
 * A released migration is never edited; this one is not released yet.
 */
export const SHARED_POLICY = `
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
