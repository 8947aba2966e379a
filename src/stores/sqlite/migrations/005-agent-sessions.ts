/** Version 5: running agents and their successions. */
export const AGENT_SESSIONS = `
-- One row for each agent session; record is JSON and is replaced as a whole, guarded by revision.
CREATE TABLE agent_session (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  open INTEGER NOT NULL CHECK (open IN (0, 1)),
  revision INTEGER NOT NULL CHECK (revision > 0),
  record TEXT NOT NULL
) STRICT;
CREATE INDEX agent_session_open ON agent_session (id) WHERE open = 1;
`;
