/** An immutable deep copy: callers never share an object with the store. */
export function frozenCopy<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  const copy: unknown = Array.isArray(value)
    ? value.map((item: unknown) => frozenCopy(item))
    : Object.fromEntries(Object.entries(value).map(([key, item]: [string, unknown]) => [key, frozenCopy(item)]));
  return Object.freeze(copy) as Value;
}
