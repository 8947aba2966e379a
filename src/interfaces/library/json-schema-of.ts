/** The JSON Schema of a Standard Schema, for other programs. */
import type { JsonObject } from '../../foundation/json.ts';
import type { StandardSchema } from './standard-schema.ts';

const DRAFT = { target: 'draft-2020-12' };

/**
 * Asks the validator, by Standard JSON Schema. `input` is what a sender writes, `output` what the schema makes of it. Null:
 * the validator does not support it, or JSON Schema cannot express the schema.
 */
export function jsonSchemaOf(schema: StandardSchema, what: 'input' | 'output'): JsonObject | null {
  const { jsonSchema } = schema['~standard'];
  if (jsonSchema === undefined) return null;
  try {
    // Through JSON text, because a validator may return values such as undefined.
    return JSON.parse(JSON.stringify(jsonSchema[what](DRAFT))) as JsonObject;
  } catch {
    return null;
  }
}
