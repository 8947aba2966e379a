/** The text in `failed/` for a file that could not be adopted. */
import { instantText } from '../../foundation/instant-text.ts';
import type { JsonObject } from '../../foundation/json.ts';
import type { HandoffId } from '../../domain/names.ts';
import { readMessage, REFUSAL_FIELD, type MessageProblem } from './read.ts';

type Problem = MessageProblem | { readonly kind: 'unfit'; readonly says: string };

const CODES = { unreadable: 'INVALID_JSON', wrong: 'INVALID_REQUEST', unfit: 'UNFIT_FILE' } as const;

/** `originalText`: the refused text, if it could be read. */
export function writeRefusal(
  id: HandoffId,
  problem: Problem,
  nowMs: number,
  originalText?: string,
): { readonly says: string; readonly file: string } {
  const code = CODES[problem.kind];
  const says = problemText(problem);
  const problems = problem.kind === 'wrong' ? problem.problems : [];
  const at = instantText(nowMs);
  const file = {
    handoff_id: id,
    status: 'failed',
    [REFUSAL_FIELD]: true,
    ...partiesIn(originalText),
    failed_at: at,
    timestamp_failed: at,
    execution_time_seconds: 0,
    error: { code, message: says, severity: 'error', timestamp: at },
    validation: {
      status: 'failed',
      errors: problems.map(({ field, says: error }) => ({
        field,
        error,
        schema_path: field === '' ? '$' : `$.${field.replaceAll(/\[\d+\]/g, '[*]')}`,
      })),
    },
    retry_available: false,
    retry_count: 0,
    max_retries: 0,
    recovery_actions: [
      'Correct the file in handoffs/quarantine/ and move it to handoffs/pending/, or send it under a new id',
    ],
  };
  return { says: `${code}: ${says}`, file: `${JSON.stringify(file, null, 2)}\n` };
}

function problemText(problem: Problem): string {
  switch (problem.kind) {
    case 'unreadable':
      return `not readable as JSON: line ${problem.line}, column ${problem.column}: ${problem.says}`;
    case 'wrong':
      return problem.problems.map((each) => (each.field === '' ? each.says : `${each.field}: ${each.says}`)).join('; ');
    case 'unfit':
      return problem.says;
  }
}

/** Sender and recipient of the refused text, if present. */
function partiesIn(originalText: string | undefined): JsonObject {
  const message = originalText === undefined ? null : readMessage(originalText);
  if (message?.ok !== true) return {};
  const { source, target } = message.value.fields;
  return { ...(source === undefined ? {} : { source }), ...(target === undefined ? {} : { target }) };
}
