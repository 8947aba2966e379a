/**
 * Version 10: what was removed and to which archive it went; the steps of `erase` (5461 to 5529: a finished handoff stays
 * as it is, and what it told is gone).
 *
 * A released migration is never edited.
 */
export const RETENTION = `
create table baton.removed (
  id text collate "C" primary key,
  sender text collate "C" not null,
  recipient text collate "C" not null,
  at bigint not null,
  archive text collate "C" not null
);

alter domain baton.step drop constraint step_check;
-- Not valid: it allows more than the one before, so no stored fact has to be looked at.
alter domain baton.step add constraint step_check check (value in (240, 241, 242, 307, 563, 769, 1032, 1048, 1064, 1096, 1289, 1305, 1321, 1337, 1353, 1555, 1815, 1847, 1863, 2066, 2098, 2326, 2342, 2358, 2374, 2593, 2868, 3121, 3377, 3653, 3907, 4161, 4352, 4353, 4355, 4368, 4369, 4371, 4384, 4385, 4387, 4400, 4401, 4403, 4416, 4417, 4419, 4432, 4433, 4435, 4448, 4449, 4451, 4464, 4465, 4467, 4480, 4481, 4483, 4496, 4497, 4499, 4677, 4898, 5120, 5461, 5478, 5495, 5512, 5529)) not valid;
create or replace function baton.final_is_final() returns trigger language plpgsql as $body$
begin
  if new.revision > old.revision
    and (new.state = old.state or exists (select from baton.body b where b.n = old.n and b.kind = 1)) then
    return null;
  end if;
  raise exception 'handoff % is final', old.id using errcode = 'check_violation';
end $body$;
`;
