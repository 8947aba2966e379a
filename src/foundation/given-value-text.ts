import { orNull } from './or-null.ts';

const GIVEN_MAX = 100;

/** A value for an error message: as JSON, truncated if it is long. */
export function givenText(given: unknown): string {
  // A circular value or a bigint has no JSON: its type is shown instead.
  const json = orNull(() => (typeof given === 'number' ? String(given) : JSON.stringify(given)));
  const text = json ?? typeof given;
  return text.length > GIVEN_MAX ? `${text.slice(0, GIVEN_MAX)}…` : text;
}
