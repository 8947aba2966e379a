const GIVEN_MAX = 100;

/** A value that somebody gave, as a complaint about it shows it: JSON, and cut. */
export function givenText(given: unknown): string {
  let written: string | undefined;
  try {
    written = typeof given === 'number' ? String(given) : JSON.stringify(given);
  } catch {
    // A ring, or a big number: the type says enough.
  }
  const words = written ?? typeof given;
  return words.length > GIVEN_MAX ? `${words.slice(0, GIVEN_MAX)}…` : words;
}
