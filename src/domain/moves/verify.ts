import { MANUAL_LEASE_MS } from '../deadlines.ts';
import { countedAttempts, type Custody, type Handoff } from '../handoff.ts';
import { judge, type Verdict } from '../verification.ts';
import { step, type Moved } from './step.ts';

/** A verifier confirms that the work is done. */
export function verify(handoff: Handoff, verdict: Verdict, nowMs: number): Moved {
  if (handoff.state === 'delivered') {
    const judged = judge(handoff, verdict);
    if (!judged.ok) return judged;
  }
  return step(handoff, 'verify', nowMs);
}

/** Completes delivered work that needs no verifier. Criteria are not judged. */
export function complete(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'complete', nowMs);
}

/**
 * Sends work back: to its holder with the same fence, or on offer if the holder was a worker session. The rejected
 * attempt counts; if it was the last one, the handoff fails.
 */
export function rework(
  handoff: Handoff,
  nowMs: number,
): { readonly deed: 'rework' | 'reoffer' | 'fail'; readonly moved: Moved } {
  const { custody } = handoff;
  if (custody !== null) {
    return { deed: 'rework', moved: step(handoff, 'rework', nowMs, { custody: extendLease(custody, nowMs) }) };
  }
  const spent = handoff.state === 'delivered' && countedAttempts(handoff) > handoff.terms.retry.retriesMax;
  const deed = spent ? 'fail' : 'reoffer';
  return { deed, moved: step(handoff, deed, nowMs) };
}

/** Extends a lease that ended during the verification, which would otherwise expire at once. */
function extendLease(custody: Custody, nowMs: number): Custody {
  if (custody.by !== 'hand' || custody.untilAt === null) return custody;
  return { ...custody, untilAt: Math.max(custody.untilAt, nowMs + MANUAL_LEASE_MS) };
}
