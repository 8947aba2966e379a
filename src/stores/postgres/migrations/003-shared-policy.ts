/**
 * Version 3: what several processes must agree on.
 *
 * A released migration is never edited; this one is not released yet.
 */
export const SHARED_POLICY = `
`;
