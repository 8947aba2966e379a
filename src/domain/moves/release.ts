import { countedAttempts, type Handoff } from '../handoff.ts';
import { heldStep, step, type Moved } from './step.ts';

/**
 * Given back by its holder: the attempt does not count, and its place in the queue is kept. With `notBefore` nobody
 * takes it earlier: the holder cannot work before then, through no fault of the handoff.
 */
export function giveBack(handoff: Handoff, fence: number | null, nowMs: number, notBefore: number = 0): Moved {
  const excused = handoff.excused + 1;
  return heldStep(handoff, fence, 'release', nowMs, notBefore > nowMs ? { excused, notBefore } : { excused });
}

/**
 * Taken from a holder that is gone. The attempt counts, because work that kills its worker would otherwise kill every
 * worker there is; when it was the last one, the handoff fails.
 */
export function takeBack(
  handoff: Handoff,
  nowMs: number,
): { readonly deed: 'release' | 'fail'; readonly moved: Moved } {
  // Only what is still held can be lost: the news may come after the delivery.
  const spent = handoff.state === 'accepted' && countedAttempts(handoff) > handoff.terms.retry.retriesMax;
  const deed = spent ? 'fail' : 'release';
  return { deed, moved: step(handoff, deed, nowMs) };
}
