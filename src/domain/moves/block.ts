import { err, ok } from '../../foundation/result.ts';
import { copyOf, type BlockedOn, type Handoff } from '../handoff.ts';
import { heldStep, step, storable, type Moved } from './step.ts';

/** Stops the work until an outside event. The holder loses the handoff, and the attempt does not count. */
export function block(handoff: Handoff, blockedOn: BlockedOn, fence: number | null, nowMs: number): Moved {
  const excused = handoff.state === 'accepted' ? handoff.excused + 1 : handoff.excused;
  return storable(heldStep(handoff, fence, 'block', nowMs, { blockedOn, excused }));
}

/** The handoff stays blocked for another reason. Its deadline starts again, because other agents are notified only now. */
export function reblock(handoff: Handoff, blockedOn: BlockedOn, nowMs: number): Moved {
  const { id, state } = handoff;
  if (state !== 'blocked') return err({ code: 'move-not-allowed', id, state, move: 'block' });
  const next = copyOf(handoff);
  next.since = nowMs;
  next.blockedOn = blockedOn;
  return ok(next);
}

/** The handoff keeps its place in the queue. */
export function unblock(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'unblock', nowMs);
}
