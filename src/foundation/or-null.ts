import { codeOf } from './system-error-code.ts';

/** Null: `act` threw. Only for callers that treat every failure alike. */
export function orNull<Answer>(act: () => Answer): Answer | null {
  try {
    return act();
  } catch {
    return null;
  }
}

/** For `catch` of a promise: a missing file is fine, every other error is thrown. */
export function ignoreMissing(error: unknown): null {
  if (codeOf(error) !== 'ENOENT') throw error;
  return null;
}

/** Null: `act` found no such file. Every other error is thrown. */
export function unlessMissing<Answer>(act: () => Answer): Answer | null {
  try {
    return act();
  } catch (error) {
    return ignoreMissing(error);
  }
}
