import type { JsonObject } from '../../foundation/json.ts';
import type { Failure, Handoff } from '../../domain/handoff.ts';
import { failAttempt, failForGood } from '../../domain/moves/fail.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import { changeBy, fenceFor, type ChangeResult } from '../change.ts';
import type { Context } from '../context.ts';
import { withDependents } from './dependents.ts';
import { failureText, printableFailure } from './failure-text.ts';

export interface FailRequest {
  readonly target: HandoffId | Handoff;
  readonly fence: number | null;
  readonly failure: Failure;
  /** Do not retry, whatever the policy says. */
  readonly forGood?: true;
  /** Retries, instead of those of the terms. */
  readonly retriesMax?: number;
  /** Further details of this attempt for the trail. */
  readonly detail?: JsonObject;
}

/** Fails one attempt. The retry policy, not the worker, decides whether there is another one. */
export async function fail(
  ctx: Context,
  principal: Principal,
  { target, fence, failure, forGood, retriesMax, detail = {} }: FailRequest,
): ChangeResult {
  const said = printableFailure(failure);
  const { violations } = failure;
  const outcome = failureText(violations === undefined ? said : { ...said, violations });
  const failed = await changeBy(ctx, principal, target, 'fail', (handoff, nowMs) => {
    const policy = retriesMax === undefined ? undefined : { ...handoff.terms.retry, retriesMax };
    const move =
      forGood === true
        ? { moved: failForGood(handoff, nowMs) }
        : failAttempt(handoff, said.code, fenceFor(principal, handoff, fence), nowMs, policy);
    return { ...move, detail: { ...detail, ...said }, outcome };
  });
  return withDependents(ctx, failed);
}
