/**
 * The detail of a fact as JSON text. Details that many facts share, such as the proof of one principal, are serialized
 * once: serializing them for every fact was a third of the cost of proof.
 */
import { isJsonObject, type Json, type JsonObject } from '../foundation/json.ts';

/** The parsed detail of a fact; empty if there is none, or if it is no object. */
export function detailIn({ detail }: { readonly detail: string }): JsonObject {
  const read = detail === '' ? {} : (JSON.parse(detail) as Json);
  return isJsonObject(read) ? read : {};
}

const texts = new WeakMap<JsonObject, string>();

export function shareDetail(detail: JsonObject): JsonObject {
  texts.set(Object.freeze(detail), JSON.stringify(detail));
  return detail;
}

export function isShared(detail: JsonObject): boolean {
  return texts.has(detail);
}

/** The text for a fact; empty: no detail. */
export function detailText(detail: JsonObject | null): string {
  return detail === null ? '' : (texts.get(detail) ?? JSON.stringify(detail));
}
