import { HAND_LEASE_MS } from '../deadlines.ts';
import { countedAttempts, type Custody, type Handoff } from '../handoff.ts';
import { judge, type Verdict } from '../verification.ts';
import { step, type Moved } from './step.ts';

/** A verifier agrees that it is done. */
export function verify(handoff: Handoff, verdict: Verdict, nowMs: number): Moved {
  if (handoff.state === 'delivered') {
    const judged = judge(handoff, verdict);
    if (!judged.ok) return judged;
  }
  return step(handoff, 'verify', nowMs);
}

/** Without a verifier, delivered work is complete. Criteria stay unjudged. */
export function complete(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'complete', nowMs);
}

/**
 * Not done yet: back into the hands that delivered it, with the same fence, or on offer when a worker has left.
 * An attempt that has to be made again because of a judgement is the doer's, so it counts; when it was the last one,
 * the handoff fails.
 */
export function rework(
  handoff: Handoff,
  nowMs: number,
): { readonly deed: 'rework' | 'reoffer' | 'fail'; readonly moved: Moved } {
  const { custody } = handoff;
  if (custody !== null) {
    return { deed: 'rework', moved: step(handoff, 'rework', nowMs, { custody: withTime(custody, nowMs) }) };
  }
  const spent = handoff.state === 'delivered' && countedAttempts(handoff) > handoff.terms.retry.retriesMax;
  const deed = spent ? 'fail' : 'reoffer';
  return { deed, moved: step(handoff, deed, nowMs) };
}

/** A lease that ran out during the verification would end at once. */
function withTime(custody: Custody, nowMs: number): Custody {
  if (custody.by !== 'hand' || custody.untilAt === null) return custody;
  return { ...custody, untilAt: Math.max(custody.untilAt, nowMs + HAND_LEASE_MS) };
}
