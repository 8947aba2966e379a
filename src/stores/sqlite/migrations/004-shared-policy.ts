/**
 * Version 4: what several processes must agree on.
 *
 * A released migration is never edited; this one is not released yet.
 */
export const SHARED_POLICY = `
-- How long this session may be silent. Sessions of older programs had the default.
ALTER TABLE session ADD COLUMN lease_ms INTEGER NOT NULL DEFAULT 10000;
-- Each version of the workspace's policy, as JSON; the newest one holds.
CREATE TABLE policy (
  version INTEGER PRIMARY KEY CHECK (version > 0),
  policy TEXT NOT NULL,
  by TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
`;
