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
INSERT INTO verifier SELECT DISTINCT value, n FROM handoff, json_each(terms, '$.verifiers') WHERE terms IS NOT NULL;
INSERT INTO artifact_use SELECT DISTINCT value, n FROM handoff, json_each(terms, '$.artifacts') WHERE terms IS NOT NULL;
`;
