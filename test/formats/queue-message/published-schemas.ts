/** The JSON Schemas of the queue, for other programs: what Baton reads, and the two answers that it writes. */
import * as z from 'zod';
import { RequestShape } from '../../../src/formats/queue-message/schema.ts';
import { publishedSchema } from '../../support/published-schema.ts';

const MESSAGE_MAX = 20_000;

const { input, timestamp: Instant, ...withoutInput } = RequestShape.shape;
/** The specification's examples omit the input in results; ours keep it. */
const answerFields = { ...withoutInput, timestamp: Instant, input: input.nullish() };

const Output = z.looseObject({
  artifact_id: z.string().max(500).nullish(),
  artifact_path: z.string().max(1_000).nullish(),
  artifact_type: z.string().max(200).nullish(),
  schema_compliance: z.string().max(100).nullish(),
});

export const ResponseShape = z.looseObject({
  ...answerFields,
  status: z.literal('completed'),
  timestamp_completed: Instant,
  completed_at: Instant,
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
  timestamp_failed: Instant,
  failed_at: Instant,
  execution_time_seconds: z.number().min(0).nullish(),
  error: z.looseObject({
    code: z.string().max(128).nullish(),
    message: z.string().max(MESSAGE_MAX),
    severity: z.string().max(100).nullish(),
    timestamp: Instant,
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
