/**
 * The versions of the schema. Each migration is literal SQL that upgrades the previous version, and is never edited after
 * its release: an old database must become exactly what a new one is. The version is in `user_version`, and
 * `application_id` marks the file as ours.
 */
import { stateNumber } from '../stored-numbers.ts';
import { TABLES } from './migrations/001-tables.ts';
import { LISTS_AND_WORDS } from './migrations/002-lists-and-words.ts';
import { OPEN_WORK } from './migrations/003-open-work.ts';
import { SHARED_POLICY } from './migrations/004-shared-policy.ts';
import { AGENT_SESSIONS } from './migrations/005-agent-sessions.ts';
import { EXTRA_FIELDS } from './migrations/006-extra-fields.ts';
import { SUPERSEDED_DOCUMENTS } from './migrations/007-superseded-documents.ts';
import { ASSURANCE } from './migrations/008-assurance.ts';
import { SCHEDULES } from './migrations/009-schedules.ts';
import { REVISED_DRAFTS } from './migrations/010-revised-drafts.ts';
import { RETENTION } from './migrations/011-retention.ts';
import { OPERATING } from './migrations/012-operating.ts';

export const APPLICATION_ID = 0x4241544e;

const MIGRATIONS: readonly string[] = [
  TABLES,
  LISTS_AND_WORDS,
  OPEN_WORK,
  SHARED_POLICY,
  AGENT_SESSIONS,
  EXTRA_FIELDS,
  SUPERSEDED_DOCUMENTS,
  ASSURANCE,
  SCHEDULES,
  REVISED_DRAFTS,
  RETENTION,
  OPERATING,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** The due time of inbox entries: never. The last instant that a date can have; version 2 has it in an index. */
export const NEVER = 8_640_000_000_000_000;

/** The condition of the index `handoff_rest`: open handoffs that are neither offered nor held by a process. */
export const AT_REST_SQL =
  `(state IN (${stateNumber('draft')}, ${stateNumber('blocked')}, ${stateNumber('delivered')}) OR ` +
  `(state = ${stateNumber('accepted')} AND session IS NULL))`;

/** The SQL that upgrades a file of this version (0: an empty file) to our version, or to the version `until`. */
export function schemaSince(version: number, until: number = SCHEMA_VERSION): string {
  return `${MIGRATIONS.slice(version, until).join('')}\nPRAGMA user_version = ${until};`;
}
