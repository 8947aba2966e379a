/**
 * Version 4: what several processes must agree on.
 *
 * A released migration is never edited; this one is not released yet.
 */
export const SHARED_POLICY = `
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
`;
