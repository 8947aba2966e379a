/**
 * The three shapes of a queue message. Unknown fields are allowed; known fields have limits. The published JSON Schemas
 * are made from these.
 */
import { isOnTheCalendar } from '../calendar-date.ts';
import * as z from 'zod';
import { AGENT_NAME_RULE, HANDOFF_ID_RULE, readAgentId, readHandoffId } from '../../domain/names.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import { WEEK_SECONDS } from '../../domain/record-values.ts';
import { RETRIES_MAX } from '../../domain/retry-policy.ts';
import { publishedSchema } from '../published-schema.ts';
import { secondsShape } from '../seconds-shape.ts';

const DEPENDENCIES_MAX = 100;
const LONG_TEXT_MAX = 20_000;

const Id = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, HANDOFF_ID_RULE)
  .refine((text) => readHandoffId(text) !== null, HANDOFF_ID_RULE);

const AgentName = z
  .string()
  .min(1)
  .max(66)
  .refine((text) => readAgentId(text) !== null, AGENT_NAME_RULE);

/** A plain string is accepted as an agent name. */
const Agent = z.union([
  AgentName,
  z.looseObject({
    agent_id: AgentName,
    phase: z.number().min(0).max(1_000).nullish(),
    agent_type: z.string().max(200).nullish(),
  }),
]);

const INSTANT_RULE = 'a date with time and zone, such as 2026-01-13T10:00:00Z';
const Instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/, INSTANT_RULE)
  .refine(isOnTheCalendar, INSTANT_RULE);

/** Without `data`, other keys were probably meant as the input and would be lost, so they are refused. */
const Input = z
  .looseObject({ schema: z.string().min(1).max(200).nullish(), data: z.json().optional() })
  .refine(
    (input) => input.data !== undefined || Object.keys(input).every((name) => name === 'schema'),
    'the input belongs into input.data',
  );

const ExpectedOutput = z.looseObject({
  artifact_type: z.string().max(200).nullish(),
  schema: z.string().min(1).max(200).nullish(),
  destination: z
    .string()
    .max(1_000)
    .refine(isBelowArtifacts, 'a path below artifacts/, without "..", such as artifacts/phase-13-react/x.json')
    .nullish(),
});

/** `{timestamp}` is filled in later. */
function isBelowArtifacts(path: string): boolean {
  const parts = path.replaceAll('{timestamp}', '0').split('/');
  return parts.length >= 2 && parts[0] === 'artifacts' && parts.every((part) => ARTIFACT_PART.test(part));
}
const ARTIFACT_PART = /^(?!\.\.?$)[A-Za-z0-9][A-Za-z0-9._@-]{0,199}$/;

const RetryPolicyShape = z.looseObject({
  max_retries: z.int().min(0).max(RETRIES_MAX).nullish(),
  retry_delay_seconds: secondsShape(0, WEEK_SECONDS).nullish(),
  backoff_multiplier: z.number().min(1).max(100).nullish(),
});

const requestFields = {
  handoff_id: Id,
  timestamp: Instant.nullish(),
  status: z.string().max(100).nullish(),
  source: Agent,
  target: Agent,
  context: z.record(z.string(), z.json()).nullish(),
  input: Input,
  expected_output: ExpectedOutput.nullish(),
  timeout_seconds: secondsShape(1, WEEK_SECONDS).nullish(),
  priority: z.enum(PRIORITIES as [string, ...string[]]).nullish(),
  retry_policy: RetryPolicyShape.nullish(),
  depends_on: z.array(Id).max(DEPENDENCIES_MAX).nullish(),
  retry_of: Id.nullish(),
  title: z.string().min(1).max(500).nullish(),
  task: z.string().min(1).max(500).nullish(),
};

export const RequestShape = z.looseObject(requestFields);
export type RequestText = z.infer<typeof RequestShape>;

/** The specification's examples omit the input in results; ours keep it. */
const { input, ...withoutInput } = requestFields;
const answerFields = { ...withoutInput, input: input.nullish() };

const Output = z.looseObject({
  artifact_id: z.string().max(500).nullish(),
  artifact_path: z.string().max(1_000).nullish(),
  artifact_type: z.string().max(200).nullish(),
  schema_compliance: z.string().max(100).nullish(),
});

export const ResponseShape = z.looseObject({
  ...answerFields,
  status: z.literal('completed'),
  timestamp_completed: Instant.nullish(),
  completed_at: Instant.nullish(),
  execution_time_seconds: z.number().min(0).nullish(),
  output: Output,
  validation: z.looseObject({ status: z.string().max(100).nullish() }).nullish(),
  metadata: z.record(z.string(), z.json()).nullish(),
  next_steps: z.array(z.string()).nullish(),
  warnings: z.array(z.json()).nullish(),
  errors: z.array(z.json()).nullish(),
});

export const FailureShape = z.looseObject({
  ...answerFields,
  status: z.literal('failed'),
  timestamp_failed: Instant.nullish(),
  failed_at: Instant.nullish(),
  execution_time_seconds: z.number().min(0).nullish(),
  error: z.looseObject({
    code: z.string().max(128).nullish(),
    message: z.string().max(LONG_TEXT_MAX),
    severity: z.string().max(100).nullish(),
    timestamp: Instant.nullish(),
  }),
  validation: z
    .looseObject({
      status: z.string().max(100).nullish(),
      errors: z
        .array(z.looseObject({ field: z.string(), error: z.string(), schema_path: z.string().nullish() }))
        .nullish(),
    })
    .nullish(),
  retry_available: z.boolean().nullish(),
  retry_count: z.int().min(0).nullish(),
  max_retries: z.int().min(0).nullish(),
  recovery_actions: z.array(z.string()).nullish(),
});

/** As they are published in `schemas/`. */
export function queueSchemas(): Readonly<Record<string, object>> {
  return {
    'queue-request.schema.json': publishedSchema(RequestShape, 'A handoff request of the file queue'),
    'queue-response.schema.json': publishedSchema(ResponseShape, 'A completed handoff of the file queue'),
    'queue-failure.schema.json': publishedSchema(FailureShape, 'A failed handoff of the file queue'),
  };
}
