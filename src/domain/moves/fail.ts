import { countedAttempts, type Handoff } from '../handoff.ts';
import { afterFailure, type RetryPolicy } from '../retry-policy.ts';
import { holdsFence, step, type Moved } from './step.ts';

/** One attempt has failed. The policy says whether there is another one, and when. */
export function failAttempt(
  handoff: Handoff,
  code: string,
  fence: number | null,
  nowMs: number,
  policy: RetryPolicy = handoff.terms.retry,
): { readonly deed: 'retry' | 'fail'; readonly moved: Moved } {
  const next = afterFailure(countedAttempts(handoff), code, policy);
  const deed = next.do === 'retry' ? 'retry' : 'fail';
  const held = holdsFence(handoff, fence);
  if (!held.ok) return { deed, moved: held };
  if (next.do === 'give-up') return { deed, moved: step(handoff, 'fail', nowMs) };
  const notBefore = nowMs + next.inMs;
  return { deed, moved: step(handoff, 'retry', nowMs, { notBefore, offeredAt: notBefore }) };
}

/** The same agent is to try again, at once: whoever says so has its own policy. */
export function tryAgain(handoff: Handoff, fence: number | null, nowMs: number): Moved {
  const held = holdsFence(handoff, fence);
  return held.ok ? step(handoff, 'retry', nowMs) : held;
}

/** Whoever holds it says that it will not be done. */
export function giveUp(handoff: Handoff, fence: number | null, nowMs: number): Moved {
  const held = holdsFence(handoff, fence);
  return held.ok ? step(handoff, 'fail', nowMs) : held;
}

/** The whole handoff has failed, whatever attempts are left: a dependency that never came, an operator's word. */
export function failForGood(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'fail', nowMs);
}
