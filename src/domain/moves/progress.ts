import { err, ok } from '../../foundation/result.ts';
import type { Handoff } from '../handoff.ts';
import { holdsFence, type Moved } from './step.ts';

/** The holder reports progress. Only the trail changes. */
export function progress(handoff: Handoff, fence: number | null): Moved {
  const held = holdsFence(handoff, fence);
  if (!held.ok) return held;
  const { id, state } = handoff;
  if (state !== 'accepted') return err({ code: 'lease-lost', id, fence, state, newest: handoff.fence });
  return ok({ ...handoff });
}
