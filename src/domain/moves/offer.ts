import type { Handoff } from '../handoff.ts';
import { step, type Moved } from './step.ts';

/** The sender is done writing: from now on the recipient may take it. */
export function offer(handoff: Handoff, nowMs: number): Moved {
  return step(handoff, 'offer', nowMs, { offeredAt: Math.max(nowMs, handoff.notBefore) });
}
