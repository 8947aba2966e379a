/** Matchers of vitest as values of a known type: its own are `any`, which the linter refuses. */
import { expect } from 'vitest';

export function containing(text: string): unknown {
  return expect.stringContaining(text);
}

export function matching(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}

export function anyText(): unknown {
  return expect.any(String);
}
