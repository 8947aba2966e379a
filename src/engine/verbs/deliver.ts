import { present } from '../../foundation/assert.ts';
import { writeJson, type Json, type JsonProblem } from '../../foundation/json.ts';
import { refuse, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Check, Claim } from '../../domain/evidence.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { deliver as delivered } from '../../domain/moves/deliver.ts';
import { verify } from '../../domain/moves/verify.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { SYSTEM, type Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { needsVerifier } from '../../domain/verification.ts';
import { andThen, decideBy } from '../change.ts';
import type { Surroundings } from '../surroundings.ts';

export interface DeliverRequest {
  /** The record from the claim saves reading it again. */
  readonly target: HandoffId | Handoff;
  readonly fence: number | null;
  readonly result: Json;
  readonly claims?: readonly Claim[];
  readonly checks?: readonly Check[];
}

export type DeliverRefusal = Refusal | { readonly code: 'not-json'; readonly problem: JsonProblem };

/** Where nobody has to verify, the rules of the house do it in the same transaction. */
const verifyByRule: Decide = decideBy(SYSTEM, 'verify', (handoff, nowMs) => ({
  deed: 'verify',
  moved: verify(handoff, { checks: [], criteria: handoff.terms.criteria }, nowMs),
}));

export async function deliver(
  around: Surroundings,
  principal: Principal,
  request: DeliverRequest,
): Promise<Result<Handoff, DeliverRefusal>> {
  const outcome: Outcome = { kind: 'result', result: request.result };
  const text = writeJson(outcome);
  if (!text.ok) return refuse({ code: 'not-json', problem: text.refusal });
  const { fence, claims = [], checks = [] } = request;
  const decide = decideBy(principal, 'deliver', (handoff, nowMs) => ({
    deed: 'deliver',
    moved: delivered(handoff, { fence, claims, checks }, nowMs),
    outcome: text.value,
  }));
  const decideAll = andThen(decide, (handoff) => !needsVerifier(handoff), verifyByRule);
  const [answer] = await around.store.change([request.target], decideAll);
  return present(answer, 'one target, one answer');
}
