/** Where evidence is looked at by a machine: once when it is shown, and again before somebody verifies. */
import type { Check, Claim, Evidence } from '../domain/evidence.ts';

/** What the doer says, before anybody has looked. */
export interface AskedEvidence {
  readonly deliverable: string;
  readonly kind: Evidence['kind'];
  readonly value: string;
}

/**
 * One check per piece of evidence, in the order given. What is false is an answer; only a fault of the world and an
 * aborted signal are thrown.
 */
export interface EvidenceDesk {
  /**
   * First look: hashes files, resolves commits, runs commands. There is a claim for every deliverable named, and it
   * holds only the evidence that was not false: whoever goes on despite a false check shows nothing for it.
   */
  collect(
    asked: readonly AskedEvidence[],
    signal?: AbortSignal,
  ): Promise<{ readonly claims: readonly Claim[]; readonly checks: readonly Check[] }>;
  /** Second look at the same evidence, by the machine, before somebody verifies. */
  check(claims: readonly Claim[], signal?: AbortSignal): Promise<readonly Check[]>;
}
