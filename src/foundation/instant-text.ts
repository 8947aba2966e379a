/** An instant in milliseconds since 1970 as ISO 8601 with milliseconds, in UTC. */
export function instantText(ms: number): string {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

/** One record names the same instant several times, and to print one takes as long as to print the rest of a short text. */
let last = { ms: Number.NaN, text: '' };

export function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : instantText(ms);
}
