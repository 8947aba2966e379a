import { err, ok } from '../../foundation/result.ts';
import { copyOf, type BlockedOn, type Handoff } from '../handoff.ts';
import { heldStep, step, storable, type Moved } from './step.ts';

/** Work cannot go on until something outside has happened. The holder lets go, and its attempt does not count. */
export function block(handoff: Handoff, blockedOn: BlockedOn, fence: number | null, nowMs: number): Moved {
  const excused = handoff.state === 'accepted' ? handoff.excused + 1 : handoff.excused;
  return storable(heldStep(handoff, fence, 'block', nowMs, { blockedOn, excused }));
}

/** The handoff stays blocked, for another reason. Its clock begins again, because those who can help are notified now. */
export function reblock(handoff: Handoff, blockedOn: BlockedOn, nowMs: number): Moved {
  const { id, state } = handoff;
  if (state !== 'blocked') return err({ code: 'move-not-allowed', id, state, move: 'block' });
  const next = copyOf(handoff);
  next.since = nowMs;
  next.blockedOn = blockedOn;
  return ok(next);
}

/** The handoff keeps its place in the queue: the wait does not count against it. */
export function unblock(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'unblock', nowMs);
}
