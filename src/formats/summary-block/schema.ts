/** What each field of a block may hold. Reading, writing and the documentation follow this table. */
import { PHASES, SUMMARY_STATUSES } from '../../domain/summary.ts';
import { NOBODY } from './vocabulary.ts';

interface FieldRule {
  readonly required: boolean;
  /** For messages and documentation. */
  readonly holds: string;
  readonly allowed?: readonly string[];
  /** Other names that lenient reading accepts. */
  readonly aliases?: readonly string[];
}

const AN_AGENT = 'the name of an agent, like "@testing-agent"';

export const BLOCK_FIELDS = {
  phase: { required: true, holds: 'one of the phases', allowed: PHASES },
  from: { required: true, holds: AN_AGENT, aliases: ['from_agent'] },
  to: { required: true, holds: `${AN_AGENT}, or "${NOBODY}"`, aliases: ['to_agent'] },
  status: { required: true, holds: 'one of the statuses', allowed: SUMMARY_STATUSES },
  retry_count: { required: false, holds: 'a whole number, from 0' },
  metrics: { required: false, holds: 'a map: numbers, percentages, durations, counts, maps of them' },
  dependencies: { required: false, holds: 'a list of task ids, like "task-15.3"' },
  on_failure: { required: false, holds: 'a map: retry, route_to, notify, escalate_after, context' },
  timestamp: { required: false, holds: 'a date and time of ISO 8601' },
  context: { required: false, holds: 'a map' },
  project: { required: false, holds: 'a text: which project this belongs to (or context.project)' },
  handoff_id: { required: false, holds: 'the id of the leg this belongs to', aliases: ['id'] },
  fence: { required: false, holds: 'a whole number, from 1: the acceptance that baton claim or accept printed' },
  waits_for: {
    required: false,
    holds: 'a text or list: what a blocked one waits for',
    aliases: ['waiting_for', 'blocked_by', 'blocked_on'],
  },
} as const satisfies Record<string, FieldRule>;

export type BlockField = keyof typeof BLOCK_FIELDS;

export const FAILURE_FIELDS = {
  retry: 'a whole number, from 0',
  route_to: AN_AGENT,
  notify: AN_AGENT,
  escalate_after: 'a whole number, from 1',
  context: 'a text',
} as const;

export function ruleOf(field: BlockField): FieldRule {
  return BLOCK_FIELDS[field];
}
