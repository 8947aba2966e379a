/** Version 4: running agents and their successions. */
export const AGENT_SESSIONS = `
-- One row for each agent session; record is JSON and is replaced as a whole, guarded by revision.
create table baton.agent_session (
  id bigint generated always as identity primary key,
  key text collate "C" not null unique,
  open boolean not null,
  revision bigint not null check (revision > 0),
  record text not null
);
create index agent_session_open on baton.agent_session (id) where open;
`;
