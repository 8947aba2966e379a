/** For seconds that `secondsShape` accepted: they are whole milliseconds. */
export function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}
