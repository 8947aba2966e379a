/** Somebody else looks at delivered work: agrees, or sends it back. Before that the machine looks a second time. */
import type { JsonObject } from '../../foundation/json.ts';
import { refuse, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Check } from '../../domain/evidence.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { rework as reworked, verify as verified } from '../../domain/moves/verify.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { change, decideBy, decideFirst } from '../change.ts';
import type { Surroundings } from '../surroundings.ts';

export interface CriterionCheck {
  readonly criterion: string;
  readonly says: string;
}

export interface VerifyRequest {
  readonly id: HandoffId;
  readonly criteria: readonly CriterionCheck[];
  readonly notes?: string;
}

export async function verify(
  around: Surroundings,
  principal: Principal,
  { id, criteria, notes }: VerifyRequest,
  signal?: AbortSignal,
): Promise<Result<Handoff, Refusal>> {
  const decideWith = (checks: readonly Check[]): Decide =>
    decideBy(principal, 'verify', (handoff, nowMs) => ({
      deed: 'verify',
      moved: verified(handoff, { checks, criteria: criteria.map(({ criterion }) => criterion) }, nowMs),
      detail: recordOf(checks, criteria, notes),
    }));
  const seen = await decideFirst(around, id, decideWith([]));
  if (!seen.ok) return seen;
  const { claims, revision } = seen.value;
  // Commands may run for minutes: never inside a transaction, and bound to the revision that was looked at.
  const decide = decideWith(await around.rules.desk.check(claims, signal));
  return change(around, id, (handoff, nowMs) =>
    handoff.state === 'delivered' && handoff.revision !== revision
      ? refuse({ code: 'contended', id })
      : decide(handoff, nowMs),
  );
}

/** Not done: the doer gets it back with the reason. */
export async function sendBack(
  around: Surroundings,
  principal: Principal,
  id: HandoffId,
  reason: string,
): Promise<Result<Handoff, Refusal>> {
  const decide = decideBy(principal, 'rework', (handoff, nowMs) => ({
    ...reworked(handoff, nowMs),
    detail: { reason },
  }));
  return change(around, id, decide);
}

function recordOf(
  checks: readonly Check[],
  criteria: readonly CriterionCheck[],
  notes: string | undefined,
): JsonObject {
  return {
    ...(notes === undefined ? {} : { notes }),
    ...(checks.length === 0 ? {} : { checks: checks.map((check) => ({ ...check })) }),
    ...(criteria.length === 0 ? {} : { criteria: criteria.map((check) => ({ ...check })) }),
  };
}
