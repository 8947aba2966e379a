import type { Handoff } from '../handoff.ts';
import { heldStep, step, type Moved } from './step.ts';

/** The recipient or a verifier declines the handoff. A recipient that has accepted it has to show the fence. */
export function reject(handoff: Handoff, fence: number | null, nowMs: number): Moved {
  return heldStep(handoff, fence, 'reject', nowMs);
}

/** The sender withdraws the handoff. A worker is notified with its next request. */
export function cancel(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'cancel', nowMs);
}

export function expire(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'expire', nowMs);
}
