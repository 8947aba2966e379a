import type { BlockedOn, Handoff } from '../handoff.ts';
import { flawOfRecord, refuseValue } from '../record-values.ts';
import { holdsFence, step, type Moved } from './step.ts';

/** Work cannot go on until something outside has happened. A holder that blocks lets go, and its attempt is excused. */
export function block(handoff: Handoff, blockedOn: BlockedOn, fence: number | null, nowMs: number): Moved {
  const held = holdsFence(handoff, fence);
  if (!held.ok) return held;
  const excused = handoff.state === 'accepted' ? handoff.excused + 1 : handoff.excused;
  const moved = step(handoff, 'block', nowMs, { blockedOn, excused });
  const flaw = moved.ok ? flawOfRecord(moved.value) : null;
  return flaw === null ? moved : refuseValue(flaw);
}

/** Waiting was not its fault: it returns to the queue at the time it first asked for. */
export function unblock(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'unblock', nowMs);
}
