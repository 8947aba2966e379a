/**
 * Version 11: what operating needs. Agents that are paused, with who paused and resumed them; when a token was last used;
 * why an effect was given up.
 *
 * A released migration is never edited.
 */
export const OPERATING = `
create table baton.agent_pause (
  seq bigint generated always as identity primary key,
  agent text collate "C" not null,
  at bigint not null,
  by text not null,
  reason text,
  ended_at bigint,
  ended_by text
);
create unique index agent_paused on baton.agent_pause (agent) where ended_at is null;

alter table baton.token add column used_at bigint;

alter table baton.effect add column dropped_at bigint;
alter table baton.effect add column dropped text;
create index effect_dropped on baton.effect (dropped_at) where dropped_at is not null;
`;
