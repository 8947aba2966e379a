import { orNull } from './or-null.ts';

const GIVEN_MAX = 100;

/** A given value for a message about it: as JSON, cut where it is long. */
export function givenText(given: unknown): string {
  // A ring and a big number cannot be written: their type has to do.
  const written = orNull(() => (typeof given === 'number' ? String(given) : JSON.stringify(given)));
  const words = written ?? typeof given;
  return words.length > GIVEN_MAX ? `${words.slice(0, GIVEN_MAX)}…` : words;
}
