/** Every command in the order of the help. A new command goes into the file of its chapter. */
import { AGENT_COMMANDS } from './agent.ts';
import { ARTIFACT_COMMANDS } from './artifact.ts';
import { CONNECT_COMMANDS } from './connect.ts';
import { DOCUMENT_COMMANDS } from './documents.ts';
import { INGEST_COMMANDS } from './ingest.ts';
import { MAINTENANCE_COMMANDS } from './maintenance.ts';
import { MIGRATE_COMMANDS } from './migrate.ts';
import { MOVE_COMMANDS } from './operations.ts';
import { OPERATOR_COMMANDS } from './operator.ts';
import { READING_COMMANDS } from './reading.ts';
import { REPORT_COMMANDS } from './reports.ts';
import { SCHEDULE_COMMANDS } from './schedule.ts';
import { SEND_AND_WORK } from './send-and-work.ts';
import { SERVER_COMMANDS } from './server.ts';
import { SHADOW_COMMANDS } from './shadow.ts';
import type { Chapter, CommandEntry } from './entry.ts';

/** The chapters of the help, the manual and the reference. */
export const CHAPTERS: readonly Chapter[] = [
  SEND_AND_WORK,
  ['Schedules', SCHEDULE_COMMANDS],
  ['Changing a handoff', MOVE_COMMANDS],
  ['Reading', READING_COMMANDS],
  ['Operating', OPERATOR_COMMANDS],
  ['Maintaining the workspace', MAINTENANCE_COMMANDS],
  ['Artifacts', ARTIFACT_COMMANDS],
  ['Projects and summaries', [...INGEST_COMMANDS, ...REPORT_COMMANDS]],
  ['Documents in a repository', DOCUMENT_COMMANDS],
  ['Migrating older handoffs', MIGRATE_COMMANDS],
  ['Shadow environments', SHADOW_COMMANDS],
  ['Running agents', AGENT_COMMANDS],
  ['Serving', SERVER_COMMANDS],
  ['Connecting agents', CONNECT_COMMANDS],
];

export const CATALOGUE: readonly CommandEntry[] = CHAPTERS.flatMap(([, entries]) => entries);
