/** Times in the reader's time zone and language. */
import { signal } from '@preact/signals';

/** Updated every few seconds, so that "two minutes ago" stays true. */
export const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 5_000);

const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export function whole(at: string | number): string {
  return WHOLE.format(new Date(at));
}

export function ago(at: string | number, nowMs: number): string {
  const seconds = Math.round((nowMs - new Date(at).getTime()) / 1000);
  // `now` is a few seconds old, and the clock of the server may differ.
  if (seconds < -30) return `in ${span(-seconds * 1000)}`;
  return seconds < 3 ? 'now' : `${span(seconds * 1000)} ago`;
}

/** Like `850 ms`, `12 s`, `4 min`, `3 h`, `2 d`. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 90) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  return hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} d`;
}
