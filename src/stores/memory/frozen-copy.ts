/** A copy that nobody can change any more: what callers keep of a record, or get of it, is never the store's own. */
export function frozenCopy<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  const copy: unknown = Array.isArray(value)
    ? value.map((item: unknown) => frozenCopy(item))
    : Object.fromEntries(Object.entries(value).map(([key, item]: [string, unknown]) => [key, frozenCopy(item)]));
  return Object.freeze(copy) as Value;
}
