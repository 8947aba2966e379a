/** Parses the text of a queue file: a request or a result. Tolerant of form, strict about limits. */
import { isJsonObject, KEEPING_INTEGERS, readJson, type Json, type JsonObject } from '../../foundation/json.ts';
import { parseExact } from '../../foundation/exact-json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Failure, Terms } from '../../domain/handoff.ts';
import { readAgentId, type AgentId, type HandoffId } from '../../domain/names.ts';
import type { Priority } from '../../domain/priority.ts';
import type { RetryPolicy } from '../../domain/retry-policy.ts';
import { toMilliseconds } from '../seconds.ts';
import { RequestShape, type RequestText } from './schema.ts';
import { fieldPath, issueText } from '../issue-text.ts';

interface FieldProblem {
  /** Like `input.data` or `depends_on[2]`. */
  readonly field: string;
  readonly says: string;
}

export type MessageProblem =
  /** Not JSON; the file may still be written. */
  | { readonly kind: 'unreadable'; readonly says: string; readonly line: number; readonly column: number }
  | { readonly kind: 'wrong'; readonly problems: readonly FieldProblem[] };

export interface Message {
  /** The exact text. */
  readonly text: string;
  readonly fields: JsonObject;
  /** The same with integers beyond 2^53 as bigints. Only for carried values, not for decisions. */
  readonly exact: JsonObject;
}

/** A request in our own terms. Fields that it does not set are absent. */
export interface QueueRequest {
  readonly id: HandoffId;
  readonly from: AgentId;
  readonly to: AgentId;
  readonly input: Json;
  readonly schema?: string;
  readonly outputSchema?: string;
  readonly context?: JsonObject;
  readonly title?: string;
  readonly task?: string;
  readonly priority?: Priority;
  readonly terms: Partial<Terms>;
  /** The failed handoff that this one retries. */
  readonly retryOf?: HandoffId;
  readonly message: string;
}

/** A strict prefix of an object is never JSON, so an object that parses is whole. */
export function readMessage(text: string): Result<Message, MessageProblem> {
  const read = readJson(text, KEEPING_INTEGERS);
  if (!read.ok) return err({ kind: 'unreadable', ...read.refusal });
  const { value } = read.value;
  if (!isJsonObject(value)) {
    return err({ kind: 'wrong', problems: [{ field: '', says: 'a message is a JSON object' }] });
  }
  return ok({ text, fields: value, exact: parseExact(read.value.text, value) as JsonObject });
}

/** `retry`: the default policy of the workspace. */
export function readRequest(message: Message, retry: RetryPolicy): Result<QueueRequest, MessageProblem> {
  const read = RequestShape.safeParse(message.fields, { error: issueText });
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message: says }) => ({ field: fieldPath(path), says }));
    return err({ kind: 'wrong', problems });
  }
  const asked = read.data;
  const { exact } = message;
  const { priority, title, task } = asked;
  return ok({
    id: asked.handoff_id as HandoffId,
    from: agentOf(asked.source),
    to: agentOf(asked.target),
    input: isJsonObject(exact['input']) ? (exact['input']['data'] ?? {}) : {},
    ...(asked.input.schema ? { schema: asked.input.schema } : {}),
    ...(asked.expected_output?.schema ? { outputSchema: asked.expected_output.schema } : {}),
    ...(isJsonObject(exact['context']) ? { context: exact['context'] } : {}),
    ...(priority ? { priority: priority as Priority } : {}),
    ...(title ? { title } : {}),
    ...(task ? { task } : {}),
    terms: termsOf(asked, retry),
    ...(asked.retry_of ? { retryOf: asked.retry_of as HandoffId } : {}),
    message: message.text,
  });
}

export type QueueAnswer =
  | { readonly kind: 'completed'; readonly result: JsonObject }
  | { readonly kind: 'failed'; readonly failure: Failure };

export const ANSWER_FIELDS = ['output', 'validation', 'metadata', 'next_steps', 'warnings', 'errors'] as const;

/** Reads a result. The folder decides its kind, and missing fields are accepted. */
export function readAnswer(place: 'completed' | 'failed', { fields, exact }: Message): QueueAnswer {
  if (place === 'completed') {
    const said = ANSWER_FIELDS.flatMap((name) => (exact[name] === undefined ? [] : [[name, exact[name]] as const]));
    return { kind: 'completed', result: Object.fromEntries(said) };
  }
  const error = isJsonObject(fields['error']) ? fields['error'] : {};
  const code = typeof error['code'] === 'string' && error['code'] !== '' ? error['code'] : 'PROCESSING_ERROR';
  const said = typeof fields['error'] === 'string' ? fields['error'] : error['message'];
  const message = typeof said === 'string' && said !== '' ? said : 'failed without a message';
  return { kind: 'failed', failure: { code, message } };
}

/** Marks a file that a Baton worker holds. Foreign workers never write it. */
export const FENCE_FIELD = 'baton_fence';

/** Why a file is in waiting/. */
export const WAITING_FIELD = 'waiting_for';

export function fenceIn({ fields }: Message): number | null {
  const fence = fields[FENCE_FIELD];
  return typeof fence === 'number' ? fence : null;
}

/** Marks a refusal that Baton wrote. */
export const REFUSAL_FIELD = 'baton_refusal';

export function isRefusal({ fields }: Message): boolean {
  return fields[REFUSAL_FIELD] === true;
}

/** Whether the file contains a complete outcome: the status, and the result or the error. */
export function hasOutcome(message: Pick<Message, 'fields'>, place: 'completed' | 'failed'): boolean {
  const said = message.fields[place === 'completed' ? 'output' : 'error'];
  return statusIn(message) === place && said !== undefined && said !== null;
}

/** Whether the file has no outcome yet: simple programs move a file first and write it afterwards. */
export function lacksOutcome(message: Pick<Message, 'fields'>, place: 'completed' | 'failed'): boolean {
  return statusIn(message) !== place && message.fields[place === 'completed' ? 'output' : 'error'] === undefined;
}

/** How many attempts had been made when the file was last offered. */
export function retriesIn({ fields }: Message): number {
  const count = fields['retry_count'];
  return typeof count === 'number' ? count : 0;
}

export function statusIn({ fields }: Pick<Message, 'fields'>): string | null {
  return typeof fields['status'] === 'string' ? fields['status'] : null;
}

function termsOf(asked: RequestText, retry: RetryPolicy): Partial<Terms> {
  const { retry_policy: policy, timeout_seconds: seconds, depends_on: needs } = asked;
  return {
    ...(typeof seconds === 'number' ? { attemptTimeoutMs: toMilliseconds(seconds) } : {}),
    ...(needs && needs.length > 0 ? { dependsOn: [...new Set(needs)] as HandoffId[] } : {}),
    ...(policy
      ? {
          retry: {
            ...retry,
            retriesMax: policy.max_retries ?? retry.retriesMax,
            delayMs: msOf(policy.retry_delay_seconds) ?? retry.delayMs,
            multiplier: policy.backoff_multiplier ?? retry.multiplier,
          },
        }
      : {}),
  };
}

function msOf(seconds: number | null | undefined): number | null {
  return typeof seconds === 'number' ? toMilliseconds(seconds) : null;
}

/** The schema has already validated the name. */
function agentOf(agent: RequestText['source']): AgentId {
  return readAgentId(typeof agent === 'string' ? agent : agent.agent_id) as AgentId;
}
