/** The JSON Schema of a Standard Schema, for everybody who does not run this program. */
import type { JsonObject } from '../../foundation/json.ts';
import type { StandardSchema } from './standard-schema.ts';

const DRAFT = { target: 'draft-2020-12' };

/**
 * Asks the validator itself, by the interface that validators share for it (Standard JSON Schema). `input` is what a sender
 * writes, `output` what the schema makes of it. Null: the validator cannot say it, because it has no such interface or
 * because the schema holds something that JSON Schema cannot express.
 */
export function jsonSchemaOf(schema: StandardSchema, what: 'input' | 'output'): JsonObject | null {
  const { jsonSchema } = schema['~standard'];
  if (jsonSchema === undefined) return null;
  try {
    // As JSON: a validator may answer values that are no JSON, such as undefined.
    return JSON.parse(JSON.stringify(jsonSchema[what](DRAFT))) as JsonObject;
  } catch {
    return null;
  }
}
