/**
 * The versions of the schema. Each migration is literal SQL that upgrades the previous version, and is never edited after
 * its release: an old database must become exactly what a new one is.
 */
import { TABLES } from './migrations/001-tables.ts';
import { LISTS_AND_WORDS } from './migrations/002-lists-and-words.ts';
import { SHARED_POLICY } from './migrations/003-shared-policy.ts';
import { AGENT_SESSIONS } from './migrations/004-agent-sessions.ts';
import { EXTRA_FIELDS } from './migrations/005-extra-fields.ts';
import { SUPERSEDED_DOCUMENTS } from './migrations/006-superseded-documents.ts';
import { ASSURANCE } from './migrations/007-assurance.ts';
import { SCHEDULES } from './migrations/008-schedules.ts';
import { REVISED_DRAFTS } from './migrations/009-revised-drafts.ts';
import { RETENTION } from './migrations/010-retention.ts';
import { OPERATING } from './migrations/011-operating.ts';

export const MIGRATIONS: readonly string[] = [
  TABLES,
  LISTS_AND_WORDS,
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

/** Milliseconds since 1970 by the server's clock. As a subquery it is evaluated once and can use an index. */
export const NOW_MS = `(select floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)`;
