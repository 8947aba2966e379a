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
-- Access tokens: who made, revoked or was denied which, and whether the first operator token can still be made freely.
ALTER TABLE token ADD COLUMN keeps_leases INTEGER NOT NULL DEFAULT 0;
CREATE TABLE token_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  what TEXT NOT NULL,
  token TEXT,
  by TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX token_log_denied ON token_log (seq) WHERE what = 'denied';
INSERT INTO token_log (at, what, token, by, detail)
SELECT json_extract(record, '$.createdAt'), 'minted', id, 'unknown: before the log', '{}' FROM token
ORDER BY json_extract(record, '$.createdAt'), id;
CREATE TABLE token_bootstrap (one INTEGER PRIMARY KEY CHECK (one = 1), closed_at INTEGER) STRICT;
INSERT INTO token_bootstrap SELECT 1, min(json_extract(record, '$.createdAt')) FROM token
WHERE json_extract(record, '$.agent') IS NULL AND json_extract(record, '$.scopes') LIKE '%"write"%'
AND coalesce(json_extract(record, '$.label'), '') NOT LIKE 'baton serve, process %';
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
