import { err, ok } from '../../foundation/result.ts';
import type { Handoff } from '../handoff.ts';
import { holdsFence, storable, type Moved } from './step.ts';

/** More time for a holder by hand. Sessions renew by their heartbeats, which leave no fact. */
export function renew(handoff: Handoff, fence: number | null, untilAt: number, token: string | null = null): Moved {
  const held = holdsFence(handoff, fence);
  if (!held.ok) return held;
  const { custody, id, state } = handoff;
  if (state !== 'accepted' || custody?.by !== 'hand')
    return err({ code: 'lease-lost', id, fence, state, newest: handoff.fence });
  const { by, holder, file } = custody;
  // The lease ends with the token that renewed it last, and not with an older one.
  const proof = file === undefined ? (token === null ? {} : { token }) : { file };
  return storable(ok({ ...handoff, custody: { by, holder, untilAt, ...proof } }));
}
