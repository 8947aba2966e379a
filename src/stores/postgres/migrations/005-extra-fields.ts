/** Version 5: fields that need no column of their own, as JSON by their names. A released migration is never edited. */
export const EXTRA_FIELDS = `
alter table baton.handoff add column extra text;
alter table baton.fact add column extra text;
`;
