/** Checks evidence by machine: once when it is shown, and again before it is verified. */
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

/** The handoff that evidence is shown for, as far as a look depends on it. */
export interface EvidenceFor {
  readonly createdAt: number;
  readonly terms: Pick<Terms, 'check' | 'anyCommit' | 'deliverables'>;
  readonly lineage?: Pick<Lineage, 'imported'>;
}

/**
 * One check per piece of evidence, in the order given. What is false is an answer; only a fault of the world and an
 * aborted signal are thrown.
 */
export interface EvidenceChecker {
  /** Host and folder in which evidence is looked at; null where there is no workspace. */
  readonly where: string | null;
  /**
   * First look: hashes files, resolves commits, runs commands. There is a claim for every deliverable named, and it
   * holds only the evidence that was not false.
   */
  collect(
    asked: readonly EvidenceRequest[],
    handoff: EvidenceFor,
    signal?: AbortSignal,
  ): Promise<{ readonly claims: readonly Claim[]; readonly checks: readonly Check[] }>;
  /** Second look at the same evidence, by the machine, before somebody verifies. */
  check(claims: readonly Claim[], handoff: EvidenceFor, signal?: AbortSignal): Promise<readonly Check[]>;
  /** The same for people: with the changes themselves, and without running any command. */
  show(claims: readonly Claim[], handoff: EvidenceFor, signal?: AbortSignal): Promise<readonly ShownEvidence[]>;
}

/** One piece of evidence, with what a verifier has to see. */
export interface ShownEvidence {
  readonly deliverable: string;
  readonly evidence: Evidence;
  /** What the machine finds now; null: the check would run a command, which needs an approval first. */
  readonly now: Pick<Check, 'verdict' | 'says'> | null;
  readonly diff: EvidenceDiff | null;
}

export interface EvidenceDiff {
  readonly text: string;
  /** There is more than is shown. */
  readonly isCut: boolean;
}

/** With the command that the sender has fixed: it is evidence for everything that was asked for. */
export function withFixedCheck(asked: readonly EvidenceRequest[], { terms }: EvidenceFor): readonly EvidenceRequest[] {
  const { check, deliverables } = terms;
  if (check === undefined) return asked;
  const missing = deliverables.filter(
    (name) =>
      !asked.some(({ deliverable, kind, value }) => deliverable === name && kind === 'command' && value === check),
  );
  return [...asked, ...missing.map((deliverable) => ({ deliverable, kind: 'command' as const, value: check }))];
}
