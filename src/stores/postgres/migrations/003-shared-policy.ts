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
