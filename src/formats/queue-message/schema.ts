/** The shape of a request in the queue folder. Unknown fields are allowed; known fields have limits. */
import { isOnTheCalendar } from '../calendar-date.ts';
import * as z from 'zod';
import { AGENT_NAME_RULE, HANDOFF_ID_RULE, readAgentId, readHandoffId } from '../../domain/names.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import { WEEK_SECONDS } from '../../domain/record-values.ts';
import { RETRIES_MAX } from '../../domain/retry-policy.ts';
import { secondsShape } from '../seconds-shape.ts';

const DEPENDENCIES_MAX = 100;

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

export const RequestShape = z.looseObject({
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
});
export type RequestText = z.infer<typeof RequestShape>;
