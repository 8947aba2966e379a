/**
 * Writes the text of a queue file from its handoff. Everything that the sender wrote stays, in its order; id, status, times
 * and result come from the record.
 */
import { instantText } from '../../foundation/instant-text.ts';
import { assuranceOf } from '../../domain/assurance.ts';
import { parseExact, printExact } from '../../foundation/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../foundation/json.ts';
import type { Body, Party } from '../../domain/body.ts';
import { countedAttempts, type Failure, type Handoff, type SchemaViolation } from '../../domain/handoff.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { answerOf } from './answer.ts';
import { FENCE_FIELD, WAITING_FIELD } from './read.ts';
import { recoveryActions } from './recovery.ts';
import { QUEUE_WORDS } from './vocabulary.ts';

export interface MessageSource {
  readonly handoff: Handoff;
  readonly body: Body;
  readonly outcome: Outcome | null;
  /** When the last attempt began. */
  readonly startedAt: number | null;
  /** The artifact of the result; only if completed. */
  readonly artifact: ArtifactPlace | null;
  /** The result is from a foreign program, as queue fields. */
  readonly isForeign?: boolean;
}

export interface ArtifactPlace {
  readonly id: string;
  /** Within the workspace. */
  readonly path: string;
  readonly type: string;
  /** Why it is not at the requested path. */
  readonly warning?: string;
}

/** The results of the handoffs in `depends_on`, by id. */
const RESULTS_FIELD = 'dependency_results';

/** Fields that Baton writes for one stage. They are not carried over from an earlier stage. */
const STAGE_FIELDS = [FENCE_FIELD, 'started_at', 'retry_count', WAITING_FIELD, RESULTS_FIELD];

/** The fields of the request, without those about a stage. */
export function requestFieldsOf(fields: JsonObject): JsonObject {
  const isRequest = ([name]: readonly [string, Json]): boolean => name !== 'status' && !STAGE_FIELDS.includes(name);
  return Object.fromEntries(Object.entries(fields).filter(isRequest));
}

/** The fields of a final file that describe the end. */
export function endFieldsOf(fields: JsonObject): {
  readonly status: Json | undefined;
  readonly endedAt: number;
  readonly error: string | null;
  readonly artifactPath: string | null;
} {
  const { status, completed_at: completedAt, failed_at: failedAt, error, output } = fields;
  const at = completedAt ?? failedAt;
  const says = isJsonObject(error) ? error['message'] : null;
  const path = isJsonObject(output) ? output['artifact_path'] : null;
  return {
    status,
    endedAt: typeof at === 'string' ? Date.parse(at) : Number.NaN,
    error: typeof says === 'string' ? says : null,
    artifactPath: typeof path === 'string' ? path : null,
  };
}

export function writeMessage(source: MessageSource): string {
  return `${printExact(messageOf(source), 2)}\n`;
}

function messageOf(source: MessageSource): JsonObject {
  const request = requestOf(source);
  const { handoff } = source;
  switch (QUEUE_WORDS[handoff.state].status) {
    case 'pending':
      return { ...request, ...retryCount(handoff), ...waitingFor(handoff), ...dependencyResults(source) };
    case 'in_progress': {
      const started = source.startedAt ?? handoff.since;
      const mark =
        handoff.custody?.by === 'hand' && handoff.custody.file !== undefined ? {} : { [FENCE_FIELD]: handoff.fence };
      return {
        ...request,
        ...retryCount(handoff, 1),
        started_at: instantText(started),
        ...mark,
        ...dependencyResults(source),
      };
    }
    case 'completed':
      return { ...request, ...completion(source) };
    case 'failed':
      return { ...request, ...failureOf(source) };
  }
}

function requestOf({ handoff, body }: MessageSource): JsonObject {
  const original = body.message === undefined ? {} : (parseExact(body.message.replace(/^\uFEFF/, '')) as JsonObject);
  const kept = Object.fromEntries(Object.entries(original).filter(([name]) => !STAGE_FIELDS.includes(name)));
  const input = isJsonObject(kept['input']) ? kept['input'] : {};
  const { status } = QUEUE_WORDS[handoff.state];
  return {
    ...(body.message === undefined ? nativeRequest(handoff, body) : kept),
    handoff_id: handoff.id,
    status,
    ...(body.source === undefined ? {} : { source: agentOf(kept['source'], handoff.from, body.source) }),
    ...(body.target === undefined ? {} : { target: agentOf(kept['target'], handoff.to, body.target) }),
    input: {
      ...input,
      ...(body.schema === undefined ? {} : { schema: body.schema }),
      data: body.input,
    },
    ...(body.context === undefined ? {} : { context: body.context }),
    ...(handoff.lineage.retryOf === null ? {} : { retry_of: handoff.lineage.retryOf }),
  };
}

/** The agent as in the request; missing fields are filled in from the configuration. */
function agentOf(said: Json | undefined, name: AgentId, { phase, agentType }: Party): JsonObject {
  const given = isJsonObject(said) ? said : { agent_id: typeof said === 'string' ? said : `@${name}` };
  const lacks = (field: string): boolean => given[field] === undefined || given[field] === null;
  return {
    ...given,
    ...(phase !== undefined && lacks('phase') ? { phase } : {}),
    ...(agentType !== undefined && lacks('agent_type') ? { agent_type: agentType } : {}),
  };
}

/** For handoffs that did not come as a file. The order is that of the specification's example. */
function nativeRequest(handoff: Handoff, body: Body): JsonObject {
  const { terms } = handoff;
  return {
    handoff_id: handoff.id,
    timestamp: instantText(handoff.createdAt),
    status: 'pending',
    source: { agent_id: `@${handoff.from}` },
    target: { agent_id: `@${handoff.to}` },
    ...(handoff.title === null ? {} : { title: handoff.title }),
    ...(handoff.task === null ? {} : { task: handoff.task }),
    ...(body.context === undefined ? {} : { context: body.context }),
    input: {},
    ...(body.outputSchema === undefined ? {} : { expected_output: { schema: body.outputSchema } }),
    ...(terms.attemptTimeoutMs === null ? {} : { timeout_seconds: terms.attemptTimeoutMs / 1000 }),
    priority: handoff.priority,
    retry_policy: {
      max_retries: terms.retry.retriesMax,
      retry_delay_seconds: terms.retry.delayMs / 1000,
      backoff_multiplier: terms.retry.multiplier,
    },
    ...(terms.dependsOn.length === 0 ? {} : { depends_on: terms.dependsOn }),
  };
}

/** Why a blocked handoff is in waiting/. */
function waitingFor({ blockedOn, terms, state }: Handoff): JsonObject {
  if (state !== 'blocked' || blockedOn === null) return {};
  switch (blockedOn.reason) {
    case 'dependency': {
      const ended = blockedOn.failed === undefined ? '' : `; ${blockedOn.failed} did not succeed and has to be retried`;
      return { [WAITING_FIELD]: `other handoffs have to be completed first: ${terms.dependsOn.join(', ')}${ended}` };
    }
    case 'artifact':
      return { [WAITING_FIELD]: `artifacts have to be registered first: ${(terms.artifacts ?? []).join(', ')}` };
    case 'place':
      return { [WAITING_FIELD]: 'its recipient or sender has as much open as is allowed' };
    case 'question':
      return { [WAITING_FIELD]: `an answer to: ${blockedOn.text}` };
  }
}

function dependencyResults({ body: { dependencies } }: MessageSource): JsonObject {
  return dependencies === undefined ? {} : { [RESULTS_FIELD]: dependencies };
}

function retryCount(handoff: Handoff, present = 0): JsonObject {
  const count = countedAttempts(handoff) - present;
  return count > 0 ? { retry_count: count } : {};
}

function completion(source: MessageSource): JsonObject {
  const { artifact, outcome, body } = source;
  const endedAt = instantText(source.handoff.since);
  const ended = { ...times(source), completed_at: endedAt, timestamp_completed: endedAt };
  if (source.isForeign === true && isJsonObject(outcome?.result)) return { ...ended, ...outcome.result };
  const answer = answerOf(outcome?.result ?? null);
  const checked = body.outputSchema !== undefined;
  const warnings = Array.isArray(answer.warnings) ? (answer.warnings as readonly Json[]) : [];
  return {
    ...ended,
    assurance: assuranceOf(source.handoff),
    output: {
      artifact_id: artifact?.id ?? null,
      artifact_path: artifact?.path ?? null,
      artifact_type: artifact?.type ?? null,
      schema_compliance: checked ? 'valid' : 'not checked',
    },
    validation: answer.validation ?? { status: checked ? 'passed' : 'not checked' },
    metadata: answer.metadata ?? {},
    next_steps: answer.nextSteps ?? [],
    warnings: [...(body.warnings ?? []), ...(artifact?.warning === undefined ? [] : [artifact.warning]), ...warnings],
    errors: [],
  };
}

function failureOf(source: MessageSource): JsonObject {
  const { handoff } = source;
  const failure = failureIn(source);
  const endedAt = instantText(handoff.since);
  const violations = failure.violations ?? [];
  return {
    ...times(source),
    failed_at: endedAt,
    timestamp_failed: endedAt,
    error: { code: failure.code, message: failure.message, severity: 'error', timestamp: endedAt },
    validation: {
      status: violations.length === 0 ? 'not checked' : 'failed',
      errors: violations.map(violationFields),
    },
    retry_available: handoff.state !== 'cancelled',
    retry_count: Math.max(0, countedAttempts(handoff) - 1),
    max_retries: handoff.terms.retry.retriesMax,
    recovery_actions: recoveryActions(handoff, failure),
  };
}

/**
 * As the specification writes it: `field` names the object that lacks something, from the root of what was checked, and
 * `schema_path` the same with every position open. Ours beside them: the exact path, and the place in the schema.
 */
function violationFields({ field, says, schemaPath }: SchemaViolation): JsonObject {
  const inside = field.replace(/^(?:input|output|result)(?:\.|$)/, '');
  const isMissing = schemaPath.endsWith('/required');
  const at = isMissing ? inside.replace(LAST_PART, '') : inside;
  const missing = isMissing ? inside.slice(at.length).replace(/^\./, '') : '';
  return {
    field: at,
    error: isMissing ? `Missing required field '${missing}'` : says,
    schema_path: at === '' ? '$' : `$.${at.replaceAll(/\[\d+\]/g, '[*]')}`,
    path: field,
    schema_pointer: schemaPath,
  };
}

const LAST_PART = /(?:^|\.)[^.[\]]+$|\["[^"]*"\]$/;

/** Always has a message, because waiting programs read `error.message`. */
function failureIn({ handoff, outcome }: MessageSource): Failure {
  const code = QUEUE_WORDS[handoff.state].code ?? 'PROCESSING_ERROR';
  if (outcome?.kind === 'failure') return { ...outcome, code: handoff.state === 'failed' ? outcome.code : code };
  return { code, message: handoff.state === 'expired' ? 'nobody took it in time' : `it was ${handoff.state}` };
}

function times({ handoff, startedAt }: MessageSource): JsonObject {
  if (startedAt === null) return { execution_time_seconds: 0 };
  const seconds = Math.max(0, handoff.since - startedAt) / 1000;
  return { started_at: instantText(startedAt), execution_time_seconds: seconds };
}
