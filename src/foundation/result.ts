/** An answer that is either a value or a reason; faults of the world are thrown, never put in here. */
export type Result<Value, Reason> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: Reason };

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function err<Reason>(refusal: Reason): { readonly ok: false; readonly refusal: Reason } {
  return { ok: false, refusal };
}
