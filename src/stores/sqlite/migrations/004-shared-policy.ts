/**
 * Version 4: what several processes must agree on.
 *
 * A released migration is never edited; this one is not released yet.
 */
export const SHARED_POLICY = `
-- Who is named as a verifier, and which artifacts are named, by handoff. Terms never change, so neither do these.
CREATE TABLE verifier (
  agent TEXT NOT NULL,
  handoff INTEGER NOT NULL REFERENCES handoff,
  PRIMARY KEY (agent, handoff)
) STRICT, WITHOUT ROWID;
CREATE TABLE artifact_use (
  artifact TEXT NOT NULL,
  handoff INTEGER NOT NULL REFERENCES handoff,
  PRIMARY KEY (artifact, handoff)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER index_terms AFTER INSERT ON handoff
WHEN NEW.terms IS NOT NULL
  AND coalesce(json_extract(NEW.terms, '$.verifiers[0]'), json_extract(NEW.terms, '$.artifacts[0]')) IS NOT NULL
BEGIN
  INSERT INTO verifier SELECT DISTINCT value, NEW.n FROM json_each(NEW.terms, '$.verifiers');
  INSERT INTO artifact_use SELECT DISTINCT value, NEW.n FROM json_each(NEW.terms, '$.artifacts');
END;
-- A damaged record is no reason not to open the database.
INSERT INTO verifier SELECT DISTINCT value, n
  FROM handoff, json_each(CASE WHEN json_valid(terms) THEN terms ELSE '{}' END, '$.verifiers') WHERE terms IS NOT NULL;
INSERT INTO artifact_use SELECT DISTINCT value, n
  FROM handoff, json_each(CASE WHEN json_valid(terms) THEN terms ELSE '{}' END, '$.artifacts') WHERE terms IS NOT NULL;
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
