/**
 * Version 7: the step `complete` (4677: delivered → completed where nobody has to agree), and how far older completions
 * are proven.
 *
 * A released migration is never edited.
 */
export const ASSURANCE = `
alter domain baton.step drop constraint step_check;
alter domain baton.step add constraint step_check check (value in (240, 241, 242, 307, 563, 769, 1032, 1048, 1064, 1096, 1289, 1305, 1321, 1337, 1353, 1555, 1815, 1847, 1863, 2066, 2098, 2326, 2342, 2358, 2374, 2593, 2868, 3121, 3377, 3653, 3907, 4161, 4352, 4353, 4355, 4368, 4369, 4371, 4384, 4385, 4387, 4400, 4401, 4403, 4416, 4417, 4419, 4432, 4433, 4435, 4448, 4449, 4451, 4464, 4465, 4467, 4480, 4481, 4483, 4496, 4497, 4499, 4677));

-- No older fact says how somebody proved who they are, so none of them is more than attested.
alter table baton.handoff disable trigger final_is_final;
update baton.handoff h set extra = case when f.by like 'git:%' or f.detail like '%"imported":true%'
  then '{"assurance":"reported"}' else '{"assurance":"attested"}' end
from baton.fact f
where h.state = 5 and f.n = h.n and f.revision = h.revision and f.step = 3653 and f.by <> 'system';
alter table baton.handoff enable trigger final_is_final;
`;
