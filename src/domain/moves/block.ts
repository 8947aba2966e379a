import { err, ok } from '../../foundation/result.ts';
import { copyOf, type BlockedOn, type Handoff } from '../handoff.ts';
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

/** It stays blocked, for another reason than before. The clock begins again: whoever can help has just been told. */
export function reblock(handoff: Handoff, blockedOn: BlockedOn, nowMs: number): Moved {
  const { id, state } = handoff;
  if (state !== 'blocked') return err({ code: 'move-not-allowed', id, state, move: 'block' });
  const next = copyOf(handoff);
  next.since = nowMs;
  next.blockedOn = blockedOn;
  return ok(next);
}

/** Waiting was not its fault: it returns to the queue at the time it first asked for. */
export function unblock(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'unblock', nowMs);
}
