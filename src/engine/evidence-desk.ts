/** Where evidence is looked at: by a machine, twice, before anybody has to believe it. */
import type { Check, Claim, Evidence } from '../domain/evidence.ts';

/** What the doer says, before anybody has looked. */
export interface AskedEvidence {
  readonly deliverable: string;
  readonly kind: Evidence['kind'];
  readonly value: string;
}

export interface EvidenceDesk {
  /** First look: hashes files, resolves commits, runs commands; what does not hold comes back as a false check. */
  collect(
    asked: readonly AskedEvidence[],
    signal?: AbortSignal,
  ): Promise<{ readonly claims: readonly Claim[]; readonly checks: readonly Check[] }>;
  /** Second look at the same evidence. */
  check(claims: readonly Claim[], signal?: AbortSignal): Promise<readonly Check[]>;
}
