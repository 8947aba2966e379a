/**
 * The shared history of a document contradicts this database. The decisions made here stay in the trail, and the record
 * returns to a state of the shared history and continues from there.
 */
import { ok } from '../../foundation/result.ts';
import type { Handoff } from '../handoff.ts';
import type { RESUMABLE_STATES } from '../trail.ts';
import type { Moved } from './step.ts';

export type ResumableState = (typeof RESUMABLE_STATES)[number];

/** Attempt and fence never decrease, so an earlier holder can no longer settle the handoff. */
export function supersede(handoff: Handoff, to: ResumableState, nowMs: number): Moved {
  const isHeld = to === 'accepted';
  return ok({
    ...handoff,
    state: to,
    since: nowMs,
    attempt: isHeld ? handoff.attempt + 1 : handoff.attempt,
    fence: isHeld ? handoff.fence + 1 : handoff.fence,
    custody: isHeld ? { by: 'hand', holder: handoff.to, untilAt: null } : null,
    blockedOn: null,
  });
}
