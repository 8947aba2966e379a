/** The contract for named JSON Schemas of a workspace, which inputs and outputs must follow. */
import type { Json, JsonObject } from '../foundation/json.ts';
import type { AgentId } from '../domain/names.ts';
import type { Failure } from '../domain/handoff.ts';
import type { Result } from '../foundation/result.ts';

export interface SchemaRegistry {
  /**
   * Names may come with `@` in front and with the ending of their file. `called` is what the value is called in the
   * paths of violations; without it, `input`.
   */
  check(name: string, value: Json, called?: string): Promise<Result<true, SchemaRefusal>>;
  /** The schema with everything that it refers to inside it. Null: there is none, or it is broken. */
  read(name: string): Promise<JsonObject | null>;
}

/** JSON Schemas of what an agent takes and of what it answers. */
export interface AgentSchemaPair {
  readonly input?: JsonObject;
  readonly output?: JsonObject;
}

/**
 * The schemas that workers have registered for their agents. They apply in addition to those of the workspace, for every
 * sender and every result, in any language.
 */
export interface RegisteredSchemas {
  /** Null: nothing is registered. */
  of(agent: AgentId): AgentSchemaPair | null;
  check(agent: AgentId, what: keyof AgentSchemaPair, value: Json): Promise<Result<true, SchemaRefusal>>;
  /** Replaces what was registered. Returns why it was refused, or null. */
  register(agent: AgentId, pair: AgentSchemaPair, by: string): Promise<string | null>;
}

export type SchemaRefusal =
  | { readonly code: 'schema-unknown'; readonly schema: string; readonly known: readonly string[] }
  | { readonly code: 'schema-broken'; readonly schema: string; readonly file: string; readonly says: string }
  | {
      readonly code: 'schema-violated';
      readonly schema: string;
      readonly violations: readonly Violation[];
      /** How many more there are than those listed. */
      readonly more: number;
    };

/** `what` does not follow its schema. */
export function violationFailure(
  code: string,
  what: 'the input' | 'the result',
  { schema, violations }: Extract<SchemaRefusal, { readonly code: 'schema-violated' }>,
): Failure {
  const says = violations.map((each) => `${each.path}: ${each.says}`).join('; ');
  return {
    code,
    message: `${what} does not follow ${schema}: ${says}`,
    violations: violations.map((each) => ({ field: each.path, says: each.says, schemaPath: each.schemaPath })),
  };
}

export interface Violation {
  /** Like `input.props[0].type`; what is missing is named as if it were there. */
  readonly path: string;
  /** Within the schema, like `#/properties/props/items/type`. */
  readonly schemaPath: string;
  readonly expected: string;
  readonly says: string;
}
