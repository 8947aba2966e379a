import type { Handoff } from '../handoff.ts';
import { step, type Moved } from './step.ts';

/** The recipient, or whoever verifies, will not have it. */
export function reject(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'reject', nowMs);
}

/** The sender no longer wants it. Whoever works on it learns by their next word to us. */
export function cancel(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'cancel', nowMs);
}

export function expire(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'expire', nowMs);
}
