type AsyncMethod = (...given: never[]) => Promise<unknown>;

/** Methods that open their object on the first call. Most commands never call them, and every command has to start fast. */
export function lazyMethods<Name extends string, Methods extends Record<Name, AsyncMethod>>(
  open: () => Promise<Methods>,
  names: readonly Name[],
): Pick<Methods, Name> {
  const methods = names.map((name) => [name, async (...given: never[]) => (await open())[name](...given)] as const);
  return Object.fromEntries(methods) as unknown as Pick<Methods, Name>;
}

/** The same promise for all callers, made by the first one. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => (made ??= make());
}
