import type { Handoff } from '../handoff.ts';
import { holdsFence, step, type Moved } from './step.ts';

/** The recipient, or whoever verifies, will not have it. A recipient that has accepted it shows the fence. */
export function reject(handoff: Handoff, fence: number | null, nowMs: number): Moved {
  const held = holdsFence(handoff, fence);
  return held.ok ? step(handoff, 'reject', nowMs) : held;
}

/** The sender no longer wants it. Whoever works on it learns by their next word to us. */
export function cancel(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'cancel', nowMs);
}

export function expire(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'expire', nowMs);
}
