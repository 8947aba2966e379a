/**
 * Version 3: an index of open work that is neither on offer nor held by a process. A quick handoff never enters it, so
 * it costs the claim path nothing.
 *
 * A released migration is never edited.
 */
export const OPEN_WORK = `
CREATE INDEX handoff_rest ON handoff (recipient) WHERE (state IN (0, 2, 4) OR (state = 3 AND session IS NULL));
`;
