/**
 * Version 12: what operating needs. Agents that are paused, with who paused and resumed them; when a token was last used;
 * why an effect was given up.
 *
 * A released migration is never edited.
 */
export const OPERATING = `
CREATE TABLE agent_pause (
  seq INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  at INTEGER NOT NULL,
  by TEXT NOT NULL,
  reason TEXT,
  ended_at INTEGER,
  ended_by TEXT
) STRICT;
CREATE UNIQUE INDEX agent_paused ON agent_pause (agent) WHERE ended_at IS NULL;

ALTER TABLE token ADD COLUMN used_at INTEGER;

ALTER TABLE effect ADD COLUMN dropped_at INTEGER;
ALTER TABLE effect ADD COLUMN dropped TEXT;
CREATE INDEX effect_dropped ON effect (dropped_at) WHERE dropped_at IS NOT NULL;
`;
