/**
 * The shared history of a document tells otherwise than this database. What was decided here stays in the trail; the
 * record returns to a state that the shared history knows, and goes on from there.
 */
import { ok } from '../../foundation/result.ts';
import type { Handoff } from '../handoff.ts';
import type { RESUMED } from '../trail.ts';
import type { Moved } from './step.ts';

export type Resumed = (typeof RESUMED)[number];

/** Counters never fall: an earlier holder can no longer settle it. */
export function supersede(handoff: Handoff, to: Resumed, nowMs: number): Moved {
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
