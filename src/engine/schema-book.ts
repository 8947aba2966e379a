/** The schemas of a workspace, by name. */
import type { Json } from '../foundation/json.ts';
import type { Result } from '../foundation/result.ts';

export interface SchemaBook {
  check(name: string, value: Json): Promise<Result<true, SchemaRefusal>>;
}

export type SchemaRefusal =
  | { readonly code: 'schema-unknown'; readonly schema: string; readonly known: readonly string[] }
  | { readonly code: 'schema-broken'; readonly schema: string; readonly file: string; readonly says: string }
  | { readonly code: 'schema-violated'; readonly schema: string; readonly violations: readonly Violation[] };

export interface Violation {
  /** Where in the value, like `input.props[0].type`. */
  readonly path: string;
  readonly schemaPath: string;
  readonly expected: string;
  readonly says: string;
}
