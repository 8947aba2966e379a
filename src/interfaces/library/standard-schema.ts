/** A schema of zod, valibot, arktype or another validator (standardschema.dev). */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** Standard JSON Schema, where the validator supports it. */
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

/** One violation of a schema. */
export interface SchemaViolation {
  /** `/items/0/name`; empty for the whole value. */
  readonly path: string;
  readonly says: string;
}

const VIOLATIONS_MAX = 20;

/** The parsed value, or the violations. */
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
