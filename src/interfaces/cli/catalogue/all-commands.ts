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
import { SEND_AND_WORK_COMMANDS } from './send-and-work.ts';
import { SERVER_COMMANDS } from './server.ts';
import { SHADOW_COMMANDS } from './shadow.ts';
import type { CommandEntry } from './entry.ts';

/** The chapters of the help, the manual and the reference. */
export const CHAPTERS: readonly (readonly [title: string, entries: readonly CommandEntry[]])[] = [
  ['Making handoffs, and doing what they ask for', SEND_AND_WORK_COMMANDS],
  ['Sending again and again', SCHEDULE_COMMANDS],
  ['Moving a handoff', MOVE_COMMANDS],
  ['Looking', READING_COMMANDS],
  ['Operating', OPERATOR_COMMANDS],
  ['Keeping the workspace in order', MAINTENANCE_COMMANDS],
  ['What workers made', ARTIFACT_COMMANDS],
  ['Projects as their agents tell them', [...INGEST_COMMANDS, ...REPORT_COMMANDS]],
  ['Documents in a repository', DOCUMENT_COMMANDS],
  ['Bringing in what others wrote', MIGRATE_COMMANDS],
  ['Trying work before it is passed on', SHADOW_COMMANDS],
  ['Running agents', AGENT_COMMANDS],
  ['Serving', SERVER_COMMANDS],
  ['Connecting agents', CONNECT_COMMANDS],
];

export const CATALOGUE: readonly CommandEntry[] = CHAPTERS.flatMap(([, entries]) => entries);
