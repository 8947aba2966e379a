import { err, ok } from '../../foundation/result.ts';
import type { Handoff } from '../handoff.ts';
import { flawOfRecord, refuseValue } from '../record-values.ts';
import { holdsFence, type Moved } from './step.ts';

/** More time for whoever holds it by hand. Sessions renew by beating, which leaves no fact. */
export function renew(handoff: Handoff, fence: number | null, untilAt: number, token: string | null = null): Moved {
  const held = holdsFence(handoff, fence);
  if (!held.ok) return held;
  const { custody, id, state } = handoff;
  if (state !== 'accepted' || custody?.by !== 'hand')
    return err({ code: 'lease-lost', id, fence, state, newest: handoff.fence });
  const { by, holder, file } = custody;
  // Whoever keeps it alive answers for it: an older token can go without taking the lease along.
  const proof = file === undefined ? (token === null ? {} : { token }) : { file };
  const renewed: Handoff = { ...handoff, custody: { by, holder, untilAt, ...proof } };
  const flaw = flawOfRecord(renewed);
  return flaw === null ? ok(renewed) : refuseValue(flaw);
}
