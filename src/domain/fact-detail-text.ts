/**
 * The detail of a fact, as JSON text. Details that many facts share, such as the proof of one principal, are written once
 * and not for every fact: writing them was a third of what proof costs a handoff.
 */
import { isJsonObject, type Json, type JsonObject } from '../foundation/json.ts';

/** The detail of a fact; empty where there is none, or where it is no object. */
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

/** As it stands in a fact; empty: there is nothing to tell. */
export function detailText(detail: JsonObject | null): string {
  return detail === null ? '' : (texts.get(detail) ?? JSON.stringify(detail));
}
