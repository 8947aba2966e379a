/** The outcome of an attempt: its result, or why there is none. Stored as text beside the record. */
import type { Json } from '../foundation/json.ts';
import type { Failure, SchemaViolation } from './handoff.ts';
import { list, object, optional, text, variants, type Shape } from './field-shapes.ts';

/** Work that was delivered and then rejected keeps its result beside the reason. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: Json }
  | ({ readonly kind: 'failure'; readonly result?: Json } & Failure);

export const FAILURE_FIELDS = {
  code: text(),
  message: text(),
  violations: optional(list(object<SchemaViolation>({ field: text(), says: text(), schemaPath: text() }))),
} as const;

export const OUTCOME: Shape<Outcome> = variants<Outcome, 'kind'>('kind', {
  result: object<Pick<Outcome, 'result'> & { readonly result: Json }>({ result: { type: 'json' } }),
  failure: object<{ readonly result?: Json } & Failure>({
    result: optional<Json>({ type: 'json' }),
    ...FAILURE_FIELDS,
  }),
});
