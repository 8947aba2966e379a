/** Who verifies delivered work, and what a verification needs. */
import { err, ok, type Result } from '../foundation/result.ts';
import { falseChecks, withoutEvidence, type Check } from './evidence.ts';
import type { Handoff } from './handoff.ts';
import type { AgentId } from './names.ts';
import type { Refusal } from './refusals.ts';

export interface Verdict {
  /** The results of the second check of the evidence. */
  readonly checks: readonly Check[];
  /** The criteria that the verifier says are met. */
  readonly criteria: readonly string[];
}

/** If no verifier is required, delivering and completing are one transaction. */
export function needsVerifier({ terms }: Pick<Handoff, 'terms'>): boolean {
  return terms.verifiers.length > 0;
}

/** The first verifier who neither sent nor did the work; otherwise the operator. */
export function verifierFor(handoff: Handoff): AgentId | 'operator' {
  return handoff.terms.verifiers.find((agent) => agent !== handoff.from && agent !== handoff.to) ?? 'operator';
}

/** Completion needs evidence for all deliverables and all criteria to be met. */
export function judge(handoff: Handoff, verdict: Verdict): Result<true, Refusal> {
  const { id, terms, claims } = handoff;
  const missing = withoutEvidence(terms.deliverables, claims);
  if (missing.length > 0) return err({ code: 'evidence-missing', id, deliverables: missing });
  const wrong = falseChecks(verdict.checks);
  if (wrong.length > 0) return err({ code: 'evidence-false', id, checks: wrong });
  const open = terms.criteria.filter((criterion) => !verdict.criteria.includes(criterion));
  if (open.length > 0) return err({ code: 'criteria-open', id, criteria: open });
  return ok(true);
}
