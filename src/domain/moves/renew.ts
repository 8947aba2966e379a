import { refuse, yes } from '../../foundation/result.ts';
import type { Handoff } from '../handoff.ts';
import { flawOfRecord, refuseValue } from '../record-values.ts';
import { holdsFence, type Moved } from './step.ts';

/** More time for whoever holds it by hand. Sessions renew by beating, which leaves no fact. */
export function renew(handoff: Handoff, fence: number | null, untilAt: number): Moved {
  const held = holdsFence(handoff, fence);
  if (!held.ok) return held;
  const { custody, id, state } = handoff;
  if (state !== 'accepted' || custody?.by !== 'hand')
    return refuse({ code: 'lease-lost', id, fence, state, newest: handoff.fence });
  const renewed: Handoff = { ...handoff, custody: { ...custody, untilAt } };
  const flaw = flawOfRecord(renewed);
  return flaw === null ? yes(renewed) : refuseValue(flaw);
}
