import { err } from '../../foundation/result.ts';
import { falseChecks, unknownClaims, withoutEvidence, type Check, type Claim } from '../evidence.ts';
import type { Handoff } from '../handoff.ts';
import { holdsFence, step, type Moved } from './step.ts';

export interface Delivery {
  readonly fence: number | null;
  readonly claims: readonly Claim[];
  /** The results of the first check of the evidence. */
  readonly checks: readonly Check[];
}

/** The holder delivers. A holder without a session keeps custody, so that rework goes back to the same holder. */
export function deliver(handoff: Handoff, delivery: Delivery, nowMs: number): Moved {
  const { id, terms, custody } = handoff;
  const held = holdsFence(handoff, delivery.fence);
  if (!held.ok) return held;
  if (handoff.state !== 'accepted') return step(handoff, 'deliver', nowMs);
  // Checked first, because false evidence is not among the claims and would be reported as missing.
  const wrong = falseChecks(delivery.checks);
  if (wrong.length > 0) return err({ code: 'evidence-false', id, checks: wrong });
  const missing = withoutEvidence(terms.deliverables, delivery.claims);
  if (missing.length > 0) return err({ code: 'evidence-missing', id, deliverables: missing });
  const unknown = unknownClaims(terms.deliverables, delivery.claims);
  if (unknown.length > 0) return err({ code: 'evidence-unknown', id, deliverables: unknown });
  return step(handoff, 'deliver', nowMs, {
    claims: delivery.claims,
    custody: custody?.by === 'hand' ? custody : null,
  });
}
