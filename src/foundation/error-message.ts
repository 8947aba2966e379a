/** Converts a thrown value, which need not be an Error, to an Error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The message of a thrown value, which need not be an Error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The same with the stack, for logs. */
export function stackOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.stack : null) ?? messageOf(thrown);
}
