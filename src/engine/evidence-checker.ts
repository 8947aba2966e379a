/** The contract for automatic checks of evidence: once with the delivery, and again before verification. */
import type { Check, Claim, Evidence } from '../domain/evidence.ts';
import type { Lineage, Terms } from '../domain/handoff.ts';

/**
 * Whether commands may be run as evidence. `sandbox-if-possible` is the default: in a sandbox where a container runtime is
 * installed, otherwise not at all.
 */
export type CommandPolicy = 'allowed' | 'refused' | 'sandbox' | 'sandbox-if-possible';

/** Evidence as the doer names it, before it is checked. */
export interface EvidenceRequest {
  readonly deliverable: string;
  readonly kind: Evidence['kind'];
  readonly value: string;
}

/** The handoff that the evidence belongs to, as far as a check needs it. */
export interface EvidenceFor {
  readonly createdAt: number;
  readonly terms: Pick<Terms, 'check' | 'anyCommit' | 'deliverables'>;
  readonly lineage?: Pick<Lineage, 'imported'>;
}

/**
 * One check per item of evidence, in the given order. False evidence is a result; only faults and an aborted signal are
 * thrown.
 */
export interface EvidenceChecker {
  /** Host and folder in which evidence is checked. Null: there is no workspace. */
  readonly where: string | null;
  /**
   * The first check: hashes files, resolves commits, runs commands. Every named deliverable gets a claim, which contains
   * only evidence that was not false.
   */
  collect(
    asked: readonly EvidenceRequest[],
    handoff: EvidenceFor,
    signal?: AbortSignal,
  ): Promise<{ readonly claims: readonly Claim[]; readonly checks: readonly Check[] }>;
  /** The second check of the same evidence, before verification. */
  check(claims: readonly Claim[], handoff: EvidenceFor, signal?: AbortSignal): Promise<readonly Check[]>;
  /** For people: with diffs, and without running commands. */
  show(claims: readonly Claim[], handoff: EvidenceFor, signal?: AbortSignal): Promise<readonly ShownEvidence[]>;
}

/** An item of evidence, with what a verifier has to see. */
export interface ShownEvidence {
  readonly deliverable: string;
  readonly evidence: Evidence;
  /** The result of a check now. Null: it would run a command, which needs an approval first. */
  readonly now: Pick<Check, 'verdict' | 'says'> | null;
  readonly diff: EvidenceDiff | null;
}

export interface EvidenceDiff {
  readonly text: string;
  /** The text is truncated. */
  readonly isCut: boolean;
}

/** Adds the command that the sender has fixed, as evidence for every deliverable. */
export function withFixedCheck(asked: readonly EvidenceRequest[], { terms }: EvidenceFor): readonly EvidenceRequest[] {
  const { check, deliverables } = terms;
  if (check === undefined) return asked;
  const missing = deliverables.filter(
    (name) =>
      !asked.some(({ deliverable, kind, value }) => deliverable === name && kind === 'command' && value === check),
  );
  return [...asked, ...missing.map((deliverable) => ({ deliverable, kind: 'command' as const, value: check }))];
}
