import { assert } from '../../foundation/assert.ts';
import { err } from '../../foundation/result.ts';
import type { Custody, Handoff } from '../handoff.ts';
import { step, storable, type Moved } from './step.ts';

/** Each acceptance is a new attempt with a new fence, so an earlier holder can no longer settle the handoff. */
export function accept(handoff: Handoff, custody: Custody, nowMs: number): Moved {
  assert(custody.holder === handoff.to, 'only the addressee holds: whoever judges relies on who did it');
  if (handoff.state === 'offered' && nowMs < handoff.notBefore) {
    return err({ code: 'too-early', id: handoff.id, notBefore: handoff.notBefore });
  }
  const changes = { custody, attempt: handoff.attempt + 1, fence: handoff.fence + 1 };
  return storable(step(handoff, 'accept', nowMs, changes));
}
