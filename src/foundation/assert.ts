/** A bug in Baton, never in the caller. It is not caught, so that the stack shows where it happened. */
export class BrokenAssumption extends Error {
  override readonly name = 'BrokenAssumption';
}

export function assert(holds: boolean, message: string): asserts holds {
  if (!holds) throw new BrokenAssumption(message);
}

/** For rows and indexes that were just proven to exist. */
export function present<Value>(value: Value | undefined | null, message: string): Value {
  if (value === undefined || value === null) throw new BrokenAssumption(message);
  return value;
}
