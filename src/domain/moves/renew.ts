import { err, ok } from '../../foundation/result.ts';
import type { Handoff } from '../handoff.ts';
import { holdsFence, storable, type Moved } from './step.ts';

/** Extends the lease of a holder without a session. Sessions renew by heartbeats, which write no facts. */
export function renew(handoff: Handoff, fence: number | null, untilAt: number, token: string | null = null): Moved {
  const held = holdsFence(handoff, fence);
  if (!held.ok) return held;
  const { custody, id, state } = handoff;
  if (state !== 'accepted' || custody?.by !== 'hand')
    return err({ code: 'lease-lost', id, fence, state, newest: handoff.fence });
  const { by, holder, file } = custody;
  // The lease ends with the token that renewed it last.
  const proof = file === undefined ? (token === null ? {} : { token }) : { file };
  return storable(ok({ ...handoff, custody: { by, holder, untilAt, ...proof } }));
}
