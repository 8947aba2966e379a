/**
 * Version 2: access tokens, indexes for lists, chains, inboxes and capacity, and full-text search. The full-text index
 * holds no text and no positions (`rowid` is `handoff.n`); it splits at spaces only, because `stores/search-words.ts` has done
 * the rest. `indexed` is the last number that is in it.
 *
 * A released migration is never edited.
 */
export const LISTS_AND_WORDS = `
CREATE TABLE token (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  record TEXT NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX handoff_chain ON handoff (json_extract(lineage, '$.root'), n) WHERE lineage IS NOT NULL;
CREATE INDEX handoff_place ON handoff (n) WHERE state = 2 AND blocked = 1;
-- An entry has the number of its row at its end: whatever these find is in the order of a list.
CREATE INDEX handoff_sender ON handoff (sender);
CREATE INDEX handoff_recipient ON handoff (recipient);
CREATE INDEX handoff_task ON handoff (task) WHERE task IS NOT NULL;
ALTER TABLE effect ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
CREATE INDEX effect_inbox ON effect (kind, seq) WHERE done = 0 AND due_at = 8640000000000000;

CREATE VIRTUAL TABLE words USING fts5 (text, content = '', columnsize = 0, detail = 'none', tokenize = 'ascii');
CREATE TABLE indexed (one INTEGER PRIMARY KEY CHECK (one = 1), n INTEGER NOT NULL) STRICT;
INSERT INTO indexed VALUES (1, 0);
`;
