/** Fields of JSON that another program wrote. A field of another type than expected counts as absent. */
import { isJsonObject, type Json, type JsonObject } from '../foundation/json.ts';
import { orNull } from '../foundation/or-null.ts';

/** Null: the text is not JSON. */
export function jsonIn(text: string): Json {
  return orNull(() => JSON.parse(text) as Json);
}

export function fieldIn(value: Json, name: string): Json {
  return isJsonObject(value) ? (value[name] ?? null) : null;
}

export function objectIn(value: Json, name: string): JsonObject {
  const field = fieldIn(value, name);
  return isJsonObject(field) ? field : {};
}

export function listIn(value: Json, name: string): readonly Json[] {
  const field = fieldIn(value, name);
  return Array.isArray(field) ? (field as readonly Json[]) : [];
}

export function textIn(value: Json, name: string): string | null {
  const field = fieldIn(value, name);
  return typeof field === 'string' ? field : null;
}

export function numberIn(value: Json, name: string): number | null {
  const field = fieldIn(value, name);
  return typeof field === 'number' && Number.isFinite(field) ? field : null;
}
