/** What stands in `failed/` when a file could not be taken at all. */
import type { HandoffId } from '../../domain/names.ts';
import type { MessageProblem } from './read.ts';
import { instant } from './write.ts';

export function writeRefusal(
  id: HandoffId,
  problem: MessageProblem,
  nowMs: number,
): { readonly says: string; readonly file: string } {
  const code = problem.kind === 'unreadable' ? 'INVALID_JSON' : 'INVALID_REQUEST';
  const says =
    problem.kind === 'unreadable'
      ? `not readable as JSON: line ${problem.line}, column ${problem.column}: ${problem.says}`
      : problem.problems.map((each) => (each.field === '' ? each.says : `${each.field}: ${each.says}`)).join('; ');
  const problems = problem.kind === 'unreadable' ? [] : problem.problems;
  const at = instant(nowMs);
  const file = {
    handoff_id: id,
    status: 'failed',
    failed_at: at,
    timestamp_failed: at,
    execution_time_seconds: 0,
    error: { code, message: says, severity: 'error', timestamp: at },
    validation: {
      status: 'failed',
      errors: problems.map(({ field, says: error }) => ({ field, error, schema_path: '' })),
    },
    retry_available: false,
    retry_count: 0,
    max_retries: 0,
    recovery_actions: ['Correct the request and send it under a new id; the file is in handoffs/quarantine/'],
  };
  return { says: `${code}: ${says}`, file: `${JSON.stringify(file, null, 2)}\n` };
}
