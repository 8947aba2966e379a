/** Version 6: fields that need no column of their own, as JSON by their names. A released migration is never edited. */
export const EXTRA_FIELDS = `
ALTER TABLE handoff ADD COLUMN extra TEXT;
ALTER TABLE fact ADD COLUMN extra TEXT;
`;
