/** A bug of ours, never of the caller. It is not caught, so that it shows where it happened. */
export class BrokenAssumption extends Error {
  override readonly name = 'BrokenAssumption';
}

export function assert(holds: boolean, saying: string): asserts holds {
  if (!holds) throw new BrokenAssumption(saying);
}

/** For rows and indexes that were just proven to exist. */
export function present<Value>(value: Value | undefined | null, saying: string): Value {
  if (value === undefined || value === null) throw new BrokenAssumption(saying);
  return value;
}
