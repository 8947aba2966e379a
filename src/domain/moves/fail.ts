import { countedAttempts, type Handoff } from '../handoff.ts';
import { afterFailure, type RetryPolicy } from '../retry-policy.ts';
import { heldStep, step, type Moved } from './step.ts';

/** One attempt has failed. The policy says whether there is another one, and when. */
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

/** The same agent tries again at once, whatever the retry policy says: the caller has a policy of its own. */
export function tryAgain(handoff: Handoff, fence: number | null, nowMs: number): Moved {
  return heldStep(handoff, fence, 'retry', nowMs);
}

/** The holder says that it will not be done. */
export function giveUp(handoff: Handoff, fence: number | null, nowMs: number): Moved {
  return heldStep(handoff, fence, 'fail', nowMs);
}

/** The whole handoff has failed, whatever attempts are left: a dependency never came, or the operator says so. */
export function failForGood(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'fail', nowMs);
}
