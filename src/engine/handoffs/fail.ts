import type { JsonObject } from '../../foundation/json.ts';
import type { Result } from '../../foundation/result.ts';
import type { Failure, Handoff } from '../../domain/handoff.ts';
import { failAttempt, failForGood } from '../../domain/moves/fail.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { change, decideBy, fenceFor } from '../change.ts';
import type { Context } from '../context.ts';
import { withDependents } from './dependents.ts';
import { failureText, printableFailure } from './failure-text.ts';

export interface FailRequest {
  readonly target: HandoffId | Handoff;
  readonly fence: number | null;
  readonly failure: Failure;
  /** Nobody is to try again, whatever the policy says. */
  readonly forGood?: true;
  /** Attempts after the first, instead of those of the terms. */
  readonly retriesMax?: number;
  /** What else the trail says of this attempt. */
  readonly detail?: JsonObject;
}

/** One attempt has failed; whether there is another is the policy's word, not the worker's. */
export async function fail(
  ctx: Context,
  principal: Principal,
  { target, fence, failure, forGood, retriesMax, detail = {} }: FailRequest,
): Promise<Result<Handoff, Refusal>> {
  const said = printableFailure(failure);
  const { violations } = failure;
  const outcome = failureText(violations === undefined ? said : { ...said, violations });
  const decide = decideBy(principal, 'fail', (handoff, nowMs) => ({
    ...(forGood === true
      ? { deed: 'fail' as const, moved: failForGood(handoff, nowMs) }
      : failAttempt(
          handoff,
          said.code,
          fenceFor(principal, handoff, fence),
          nowMs,
          retriesMax === undefined ? undefined : { ...handoff.terms.retry, retriesMax },
        )),
    detail: { ...detail, ...said },
    outcome,
  }));
  return withDependents(ctx, await change(ctx, target, decide));
}
