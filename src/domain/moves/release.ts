import { countedAttempts, type Handoff } from '../handoff.ts';
import { heldStep, step, type Moved } from './step.ts';

/**
 * The holder releases the handoff: the attempt does not count, and its place in the queue is kept. With `notBefore` it
 * cannot be accepted earlier, for example because the agent's usage limit ends then.
 */
export function giveBack(handoff: Handoff, fence: number | null, nowMs: number, notBefore: number = 0): Moved {
  const excused = handoff.excused + 1;
  return heldStep(handoff, fence, 'release', nowMs, notBefore > nowMs ? { excused, notBefore } : { excused });
}

/**
 * Takes the handoff from a holder that is gone. The attempt counts: otherwise work that crashes its worker would crash
 * every worker in turn. If it was the last attempt, the handoff fails.
 */
export function takeBack(
  handoff: Handoff,
  nowMs: number,
): { readonly deed: 'release' | 'fail'; readonly moved: Moved } {
  // The loss of the holder may be noticed only after the delivery.
  const spent = handoff.state === 'accepted' && countedAttempts(handoff) > handoff.terms.retry.retriesMax;
  const deed = spent ? 'fail' : 'release';
  return { deed, moved: step(handoff, deed, nowMs) };
}
