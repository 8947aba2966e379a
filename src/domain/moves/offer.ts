import type { Handoff } from '../handoff.ts';
import { step, type Moved } from './step.ts';

/** Activates a draft: from now on the recipient may accept it. */
export function offer(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'offer', nowMs, { offeredAt: Math.max(nowMs, handoff.notBefore) });
}
