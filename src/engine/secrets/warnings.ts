/** Remembers the secrets that were found in a change, by its record. Records themselves contain no warnings. */
import type { Handoff } from '../../domain/handoff.ts';
import type { SecretFinding } from './scan.ts';

interface Noted {
  readonly findings: readonly SecretFinding[];
  readonly did: 'warned' | 'redacted';
  /** The head of the trail as it was decided, before the findings were added to its last fact. */
  readonly decidedTrail: string;
}

const notes = new WeakMap<Handoff, Noted>();

export function noteSecrets(handoff: Handoff, noted: Noted): void {
  notes.set(handoff, noted);
}

export function secretsIn(handoff: Handoff): readonly SecretFinding[] {
  return notes.get(handoff)?.findings ?? [];
}

/** For the answer to the writer. */
export function warningsFor(handoff: Handoff): readonly string[] {
  const noted = notes.get(handoff);
  return noted === undefined ? [] : noted.findings.map((finding) => secretWarning(finding, noted.did));
}

export function decidedTrailOf(handoff: Handoff): string {
  return notes.get(handoff)?.decidedTrail ?? handoff.trail;
}

/** The message for a finding, in answers, logs and terminals. */
export function secretWarning({ rule, field }: SecretFinding, did: 'warned' | 'redacted' | 'refused'): string {
  const done = { warned: 'it was kept as it is', redacted: 'it was redacted', refused: 'nothing was written' }[did];
  return `${field} looks like a secret (${rule}); ${done}`;
}
