/** Schemas of the user's own validator, by the interface that validators share (standardschema.dev): zod, valibot, arktype. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** Of validators that can tell their schemas as JSON Schema (Standard JSON Schema). */
    readonly jsonSchema?:
      | {
          readonly input: (options: { readonly target: string }) => Record<string, unknown>;
          readonly output: (options: { readonly target: string }) => Record<string, unknown>;
        }
      | undefined;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** One thing that does not follow a schema: where, and what is wrong. */
export interface SchemaViolation {
  /** `/items/0/name`; empty for the whole. */
  readonly path: string;
  readonly says: string;
}

const VIOLATIONS_MAX = 20;

/** What the schema makes of the value, or what is wrong with it. */
export async function checked<Output>(
  schema: StandardSchema<Output>,
  value: unknown,
): Promise<{ readonly value: Output } | { readonly violations: readonly SchemaViolation[] }> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return { value: result.value };
  const violations = result.issues.slice(0, VIOLATIONS_MAX).map(({ path = [], message }) => ({
    path: path.map((part) => `/${String(typeof part === 'object' ? part.key : part)}`).join(''),
    says: message,
  }));
  return { violations };
}

export function violationsText(what: string, violations: readonly SchemaViolation[]): string {
  return `the ${what} does not follow its schema: ${violations.map(({ path, says }) => `${path}: ${says}`).join('; ')}`;
}
