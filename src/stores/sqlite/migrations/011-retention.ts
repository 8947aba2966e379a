/**
 * Version 11: what was removed and to which archive it went; the steps of `erase` (5461 to 5529: a finished handoff stays
 * as it is, and what it told is gone). A check of a table cannot be changed in place, so the facts are copied once.
 *
 * A released migration is never edited.
 */
export const RETENTION = `
CREATE TABLE archive (n INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE removed (
  id TEXT PRIMARY KEY,
  sender INTEGER NOT NULL REFERENCES agent,
  recipient INTEGER NOT NULL REFERENCES agent,
  at INTEGER NOT NULL,
  archive INTEGER NOT NULL REFERENCES archive
) STRICT, WITHOUT ROWID;
CREATE INDEX verifier_handoff ON verifier (handoff);
CREATE INDEX artifact_use_handoff ON artifact_use (handoff);

CREATE TABLE fact_11 (
  seq INTEGER PRIMARY KEY,
  handoff INTEGER NOT NULL REFERENCES handoff,
  revision INTEGER NOT NULL,
  at INTEGER NOT NULL,
  by TEXT NOT NULL,
  step INTEGER NOT NULL CHECK (step IN (240, 241, 242, 307, 563, 769, 1032, 1048, 1064, 1096, 1289, 1305, 1321, 1337, 1353, 1555, 1815, 1847, 1863, 2066, 2098, 2326, 2342, 2358, 2374, 2593, 2868, 3121, 3377, 3653, 3907, 4161, 4352, 4353, 4355, 4368, 4369, 4371, 4384, 4385, 4387, 4400, 4401, 4403, 4416, 4417, 4419, 4432, 4433, 4435, 4448, 4449, 4451, 4464, 4465, 4467, 4480, 4481, 4483, 4496, 4497, 4499, 4677, 4898, 5120, 5461, 5478, 5495, 5512, 5529)),
  attempt INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  detail TEXT NOT NULL,
  hash TEXT NOT NULL,
  extra TEXT,
  UNIQUE (handoff, revision)
) STRICT;
INSERT INTO fact_11 (seq, handoff, revision, at, by, step, attempt, fence, detail, hash, extra)
  SELECT seq, handoff, revision, at, by, step, attempt, fence, detail, hash, extra FROM fact;
DROP TABLE fact;
ALTER TABLE fact_11 RENAME TO fact;

DROP TRIGGER final_is_final;
CREATE TRIGGER final_is_final BEFORE UPDATE ON handoff
WHEN OLD.state >= 5 AND (NEW.revision <= OLD.revision OR (OLD.kind <> 1 AND NEW.state <> OLD.state))
BEGIN SELECT RAISE(ABORT, 'final is final'); END;
`;
