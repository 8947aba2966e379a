/** Either a value or a refusal. Faults, such as a broken connection, are thrown instead. */
export type Result<Value, Reason> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: Reason };

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function err<Reason>(refusal: Reason): { readonly ok: false; readonly refusal: Reason } {
  return { ok: false, refusal };
}
