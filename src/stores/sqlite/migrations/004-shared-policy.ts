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
-- Both clocks as somebody last read them together: whoever comes next can tell whether the wall clock was set meanwhile.
CREATE TABLE clock (
  n INTEGER PRIMARY KEY CHECK (n = 1),
  boot TEXT NOT NULL,
  monotonic_ms INTEGER NOT NULL,
  wall_ms INTEGER NOT NULL,
  steady_since_ms INTEGER NOT NULL
) STRICT;
`;
