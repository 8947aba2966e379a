/**
 * Version 1: a narrow row of what changes (`handoff`), beside it what is only carried (`body`, `outcome`) and what only
 * grows (`fact`). The checks repeat the lifecycle of that version, so that even a wrong program cannot write an
 * impossible record.
 *
 * A released migration is never edited.
 */
export const TABLES = `
PRAGMA application_id = 1111577678;

CREATE TABLE agent (
  n INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  out_all INTEGER NOT NULL DEFAULT 0 CHECK (out_all >= out_documents),
  out_documents INTEGER NOT NULL DEFAULT 0 CHECK (out_documents >= 0),
  in_all INTEGER NOT NULL DEFAULT 0 CHECK (in_all >= in_documents),
  in_documents INTEGER NOT NULL DEFAULT 0 CHECK (in_documents >= 0)
) STRICT;

CREATE TABLE session (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  agent INTEGER NOT NULL REFERENCES agent,
  process TEXT NOT NULL,
  boot TEXT NOT NULL,
  groups TEXT NOT NULL DEFAULT '[]',
  beat_ms INTEGER NOT NULL,
  ended INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1))
) STRICT;

CREATE TABLE handoff (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL CHECK (revision > 0),
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 9),
  kind INTEGER NOT NULL,
  sender INTEGER NOT NULL REFERENCES agent,
  recipient INTEGER NOT NULL REFERENCES agent,
  priority INTEGER NOT NULL,
  title TEXT,
  task TEXT,
  lineage TEXT,
  terms TEXT,
  created_at INTEGER NOT NULL,
  since INTEGER NOT NULL,
  offered_at INTEGER NOT NULL,
  not_before INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  ready INTEGER NOT NULL CHECK (ready IN (0, 1)),
  due_at INTEGER,
  attempt INTEGER NOT NULL CHECK (attempt >= 0),
  excused INTEGER NOT NULL CHECK (excused BETWEEN 0 AND attempt),
  fence INTEGER NOT NULL CHECK (fence >= 0),
  session INTEGER REFERENCES session,
  holder INTEGER REFERENCES agent,
  until_at INTEGER,
  blocked INTEGER,
  question TEXT,
  waits INTEGER NOT NULL DEFAULT 0,
  claims TEXT,
  trail TEXT NOT NULL,
  CHECK ((holder IS NOT NULL) = (state = 3) OR (holder IS NOT NULL AND state = 4)),
  CHECK (session IS NULL OR state = 3),
  CHECK ((blocked IS NOT NULL) = (state = 2)),
  CHECK (ready = 0 OR state = 1)
) STRICT;

CREATE INDEX handoff_ready ON handoff (recipient, rank, n) WHERE state = 1 AND ready = 1;
CREATE INDEX handoff_delayed ON handoff (recipient, not_before) WHERE state = 1 AND ready = 0;
CREATE INDEX handoff_due ON handoff (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX handoff_session ON handoff (session) WHERE session IS NOT NULL;
CREATE INDEX handoff_freed ON handoff (n) WHERE state = 2 AND blocked = 0 AND waits = 0;

CREATE TRIGGER final_is_final BEFORE UPDATE ON handoff WHEN OLD.state >= 5
BEGIN SELECT RAISE(ABORT, 'final is final'); END;

CREATE TABLE body (handoff INTEGER PRIMARY KEY REFERENCES handoff, text TEXT NOT NULL) STRICT;
CREATE TABLE outcome (handoff INTEGER PRIMARY KEY REFERENCES handoff, text TEXT NOT NULL) STRICT;

CREATE TABLE fact (
  seq INTEGER PRIMARY KEY,
  handoff INTEGER NOT NULL REFERENCES handoff,
  revision INTEGER NOT NULL,
  at INTEGER NOT NULL,
  by TEXT NOT NULL,
  step INTEGER NOT NULL CHECK (step IN (240, 241, 242, 307, 563, 769, 1032, 1048, 1064, 1096, 1289, 1305, 1321, 1337, 1353, 1555, 1815, 1847, 1863, 2066, 2098, 2326, 2342, 2358, 2374, 2593, 2868, 3121, 3377, 3653, 3907, 4161)),
  attempt INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  detail TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE (handoff, revision)
) STRICT;

CREATE TABLE dependency (
  handoff INTEGER NOT NULL REFERENCES handoff,
  needs TEXT NOT NULL,
  PRIMARY KEY (handoff, needs)
) STRICT, WITHOUT ROWID;
CREATE INDEX dependency_needs ON dependency (needs);

CREATE TABLE request (
  by TEXT NOT NULL,
  key TEXT NOT NULL,
  hash TEXT NOT NULL,
  at INTEGER NOT NULL,
  ids TEXT NOT NULL,
  PRIMARY KEY (by, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_at ON request (at);

CREATE TABLE effect (
  seq INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  done INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1))
) STRICT;
CREATE INDEX effect_due ON effect (due_at, seq) WHERE done = 0;

CREATE TABLE duty (host TEXT PRIMARY KEY, process TEXT NOT NULL, boot TEXT NOT NULL, beat_ms INTEGER NOT NULL) STRICT;
`;
