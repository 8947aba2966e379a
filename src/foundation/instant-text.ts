/** An instant in milliseconds since 1970 as ISO 8601 with milliseconds, in UTC. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString();
}

export function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : instantText(ms);
}
