/**
 * Version 9: the step `revise` (5120: a draft asks for something else and stays a draft).
 *
 * A released migration is never edited.
 */
export const REVISED_DRAFTS = `
alter domain baton.step drop constraint step_check;
-- Not valid: it allows more than the one before, so no stored fact has to be looked at.
alter domain baton.step add constraint step_check check (value in (240, 241, 242, 307, 563, 769, 1032, 1048, 1064, 1096, 1289, 1305, 1321, 1337, 1353, 1555, 1815, 1847, 1863, 2066, 2098, 2326, 2342, 2358, 2374, 2593, 2868, 3121, 3377, 3653, 3907, 4161, 4352, 4353, 4355, 4368, 4369, 4371, 4384, 4385, 4387, 4400, 4401, 4403, 4416, 4417, 4419, 4432, 4433, 4435, 4448, 4449, 4451, 4464, 4465, 4467, 4480, 4481, 4483, 4496, 4497, 4499, 4677, 4898, 5120)) not valid;
`;
