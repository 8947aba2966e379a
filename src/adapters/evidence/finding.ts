import type { Check, Evidence } from '../../domain/evidence.ts';

/** What one look at one piece of evidence saw; without evidence there is nothing to look at again. */
export interface Finding {
  readonly evidence: Evidence | null;
  readonly verdict: Check['verdict'];
  readonly says: string;
}

export function seen(evidence: Evidence, says: string): Finding {
  return { evidence, verdict: 'true', says };
}

export function held(evidence: Evidence, says: string): Finding {
  return { evidence, verdict: 'held', says };
}

export function untrue(says: string): Finding {
  return { evidence: null, verdict: 'false', says };
}

/** Names in sentences stand in quotes, and a long one is cut: it came from outside. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text);
}

const QUOTED_MAX = 200;

/** Neither database can hold the other ones. */
export function isKeepable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}
