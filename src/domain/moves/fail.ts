import { countedAttempts, type Handoff } from '../handoff.ts';
import { afterFailure, type RetryPolicy } from '../retry-policy.ts';
import { heldStep, step, type Moved } from './step.ts';

/** One attempt has failed. The policy decides whether and when there is another one. */
export function failAttempt(
  handoff: Handoff,
  code: string,
  fence: number | null,
  nowMs: number,
  policy: RetryPolicy = handoff.terms.retry,
): { readonly deed: 'retry' | 'fail'; readonly moved: Moved } {
  const next = afterFailure(countedAttempts(handoff), code, policy);
  if (next.do === 'give-up') return { deed: 'fail', moved: giveUp(handoff, fence, nowMs) };
  const notBefore = nowMs + next.inMs;
  return { deed: 'retry', moved: heldStep(handoff, fence, 'retry', nowMs, { notBefore, offeredAt: notBefore }) };
}

/** Retries at once, ignoring the retry policy: the caller has its own policy. */
export function tryAgain(handoff: Handoff, fence: number | null, nowMs: number): Moved {
  return heldStep(handoff, fence, 'retry', nowMs);
}

/** The holder gives up; the handoff fails without further attempts. */
export function giveUp(handoff: Handoff, fence: number | null, nowMs: number): Moved {
  return heldStep(handoff, fence, 'fail', nowMs);
}

/** The handoff fails, even if attempts are left: a dependency failed, or the operator decided so. */
export function failForGood(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'fail', nowMs);
}
