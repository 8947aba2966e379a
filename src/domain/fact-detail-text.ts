/**
 * Details that many facts share, such as what proves one principal: they are made and written once, and not for every fact.
 * Writing them was a third of what proof costs a life.
 */
import type { JsonObject } from '../foundation/json.ts';

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
