/** Somebody else looks at delivered work: agrees, or sends it back. Before that the machine looks a second time. */
import type { JsonObject } from '../../foundation/json.ts';
import { refuse, type Result } from '../../foundation/result.ts';
import type { Check } from '../../domain/evidence.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { rework as reworked, verify as verified } from '../../domain/moves/verify.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { may } from '../../domain/rights.ts';
import { change, decideBy } from '../change.ts';
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
  const found = await deliveredFor(around, principal, id);
  if (!found.ok) return found;
  const { claims, revision } = found.value;
  // Commands may run for minutes: never inside a transaction, and bound to the revision that was looked at.
  const checks = found.value.state === 'delivered' ? await around.rules.desk.check(claims, signal) : [];
  const verdict = { checks, criteria: criteria.map((check) => check.criterion) };
  const decide = decideBy(principal, 'verify', (handoff, nowMs) => ({
    deed: 'verify',
    moved:
      handoff.state === 'delivered' && handoff.revision !== revision
        ? refuse({ code: 'contended', id })
        : verified(handoff, verdict, nowMs),
    detail: recordOf(checks, criteria, notes),
  }));
  return change(around, id, decide);
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

/** Whoever may not verify learns it before any command of the evidence is run. */
async function deliveredFor(
  { store }: Surroundings,
  principal: Principal,
  id: HandoffId,
): Promise<Result<Handoff, Refusal>> {
  const {
    items: [handoff],
  } = await store.find({ by: 'ids', ids: [id] });
  if (handoff === undefined) return refuse({ code: 'no-such-handoff', id });
  if (handoff.state !== 'delivered') return { ok: true, value: handoff };
  const entitled = may(principal, 'verify', handoff);
  return entitled.ok ? { ok: true, value: handoff } : entitled;
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
