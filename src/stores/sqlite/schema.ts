/**
 * The tables: a narrow row of what changes, and beside it what is only carried (body, outcome) and what only grows
 * (facts). The checks repeat the lifecycle, so that even a wrong program cannot write an impossible record.
 *
 * Versions are additive. The version stands in `user_version`, and `application_id` says that the file is ours.
 */
import { isFinal, STATES, type State } from '../../domain/lifecycle.ts';
import { BLOCKED_REASONS, legalSteps } from '../numbers.ts';

export const APPLICATION_ID = 0x4241544e;
export const SCHEMA_VERSION = 3;

const S = Object.fromEntries(STATES.map((state, index) => [state, index])) as Record<State, number>;
const FIRST_FINAL = STATES.findIndex(isFinal);

const first = (): string => `
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
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND ${STATES.length - 1}),
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
  CHECK ((holder IS NOT NULL) = (state = ${S.accepted}) OR (holder IS NOT NULL AND state = ${S.delivered})),
  CHECK (session IS NULL OR state = ${S.accepted}),
  CHECK ((blocked IS NOT NULL) = (state = ${S.blocked})),
  CHECK (ready = 0 OR state = ${S.offered})
) STRICT;

CREATE INDEX handoff_ready ON handoff (recipient, rank, n) WHERE state = ${S.offered} AND ready = 1;
CREATE INDEX handoff_delayed ON handoff (recipient, not_before) WHERE state = ${S.offered} AND ready = 0;
CREATE INDEX handoff_due ON handoff (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX handoff_session ON handoff (session) WHERE session IS NOT NULL;
CREATE INDEX handoff_freed ON handoff (n) WHERE state = ${S.blocked} AND blocked = 0 AND waits = 0;

CREATE TRIGGER final_is_final BEFORE UPDATE ON handoff WHEN OLD.state >= ${FIRST_FINAL}
BEGIN SELECT RAISE(ABORT, 'final is final'); END;

CREATE TABLE body (handoff INTEGER PRIMARY KEY REFERENCES handoff, text TEXT NOT NULL) STRICT;
CREATE TABLE outcome (handoff INTEGER PRIMARY KEY REFERENCES handoff, text TEXT NOT NULL) STRICT;

CREATE TABLE fact (
  seq INTEGER PRIMARY KEY,
  handoff INTEGER NOT NULL REFERENCES handoff,
  revision INTEGER NOT NULL,
  at INTEGER NOT NULL,
  by TEXT NOT NULL,
  step INTEGER NOT NULL CHECK (step IN (${legalSteps().join(', ')})),
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

/** When what is in an inbox is due: never. The last instant that a date can have. */
export const NEVER = 8_640_000_000_000_000;

/**
 * Chains, places, inboxes and lists have their own small indexes. Words are found through a full-text index that holds
 * no text and no positions (`rowid` is `handoff.n`); it cuts at spaces only, because `stores/words.ts` has done the rest.
 * `indexed` is the last number that is in it.
 */
const SECOND = `
CREATE TABLE token (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  record TEXT NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX handoff_chain ON handoff (json_extract(lineage, '$.root'), n) WHERE lineage IS NOT NULL;
CREATE INDEX handoff_place ON handoff (n) WHERE state = ${S.blocked} AND blocked = ${BLOCKED_REASONS.indexOf('place')};
-- An entry has the number of its row at its end: whatever these find is in the order of a list.
CREATE INDEX handoff_sender ON handoff (sender);
CREATE INDEX handoff_recipient ON handoff (recipient);
CREATE INDEX handoff_task ON handoff (task) WHERE task IS NOT NULL;
ALTER TABLE effect ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
CREATE INDEX effect_inbox ON effect (kind, seq) WHERE done = 0 AND due_at = ${NEVER};

CREATE VIRTUAL TABLE words USING fts5 (text, content = '', columnsize = 0, detail = 'none', tokenize = 'ascii');
CREATE TABLE indexed (one INTEGER PRIMARY KEY CHECK (one = 1), n INTEGER NOT NULL) STRICT;
INSERT INTO indexed VALUES (1, 0);
`;

/** What is open and neither on offer nor in the hands of a process. A quick life never comes by here, so it costs it nothing. */
export const AT_REST_SQL =
  `(state IN (${S.draft}, ${S.blocked}, ${S.delivered}) OR (state = ${S.accepted} AND session IS NULL))` as const;

/** With the indexes of what is on offer and of what sessions hold, all that is open for an agent. */
const THIRD = `
CREATE INDEX handoff_rest ON handoff (recipient) WHERE ${AT_REST_SQL};
`;

/**
 * One per version, never changed once published; each turns the one before it into its own. Written when they are asked
 * for, which is seldom.
 */
const VERSIONS: readonly (() => string)[] = [
  () => `PRAGMA application_id = ${APPLICATION_ID};\n${first()}`,
  () => SECOND,
  () => THIRD,
];

/** What brings a file of this version (0 is an empty one) to ours, or to an older one. */
export function schemaSince(version: number, until: number = SCHEMA_VERSION): string {
  return `${VERSIONS.slice(version, until)
    .map((written) => written())
    .join('')}\nPRAGMA user_version = ${until};`;
}
