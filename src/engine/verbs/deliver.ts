import { writeJson, type Json, type JsonProblem, type JsonText } from '../../foundation/json.ts';
import { refuse, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
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
import { answerOf } from '../../dialects/queue-message/answer.ts';
import { andThen, change, decideBy, decideFirst } from '../change.ts';
import type { AskedEvidence } from '../evidence-desk.ts';
import type { SchemaRefusal } from '../schema-book.ts';
import type { Surroundings } from '../surroundings.ts';

export interface DeliverRequest {
  /** The record from the claim saves reading it again. */
  readonly target: HandoffId | Handoff;
  readonly fence: number | null;
  readonly result: Json;
  /** What is shown for the deliverables; it is looked at before anything is written. */
  readonly evidence?: readonly AskedEvidence[];
  /** What the handoff carries, for whoever has it at hand. */
  readonly body?: JsonText;
  /** Taken as it is: whoever answered cannot be asked to do better. */
  readonly unchecked?: true;
  readonly signal?: AbortSignal;
}

export type DeliverRefusal = Refusal | SchemaRefusal | { readonly code: 'not-json'; readonly problem: JsonProblem };

const NOTHING_SHOWN: { readonly claims: readonly Claim[]; readonly checks: readonly Check[] } = {
  claims: [],
  checks: [],
};

/** Where nobody has to verify, the rules of the house do it in the same transaction. */
export const verifyByRule: Decide = decideBy(SYSTEM, 'verify', (handoff, nowMs) => ({
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
  const { evidence = [], signal } = request;
  // Most deliveries look at nothing outside the database, and are decided once.
  const looksOutside = evidence.length > 0 || (around.rules.schemas !== null && request.unchecked !== true);
  const seen = looksOutside
    ? await decideFirst(around, request.target, decideDelivery(principal, request, asIfShown(evidence), text.value))
    : null;
  if (seen?.ok === false) return seen;
  const broken = seen === null ? null : await schemaRefusal(around, request);
  if (broken !== null) return refuse(broken);
  const shown = evidence.length === 0 ? NOTHING_SHOWN : await around.rules.desk.collect(evidence, signal);
  const decide = decideDelivery(principal, request, shown, text.value);
  const decideAll = andThen(decide, (handoff) => !needsVerifier(handoff), verifyByRule);
  return change(around, request.target, seen === null ? decideAll : ofSameAcceptance(seen.value, decideAll));
}

type Shown = typeof NOTHING_SHOWN;

function decideDelivery(
  principal: Principal,
  { fence }: DeliverRequest,
  { claims, checks }: Shown,
  outcome: JsonText,
): Decide {
  return decideBy(principal, 'deliver', (handoff, nowMs) => ({
    deed: 'deliver',
    moved: delivered(handoff, { fence, claims, checks }, nowMs),
    outcome,
  }));
}

/** What will be claimed if everything that is shown holds: refused now, a wrong name runs no command. */
function asIfShown(evidence: readonly AskedEvidence[]): Shown {
  const claims = evidence.map(({ deliverable, value }) => ({
    deliverable,
    evidence: [{ kind: 'note' as const, text: value }],
  }));
  return { claims, checks: [] };
}

/**
 * Commands may run for minutes. What they showed belongs to the acceptance that was looked at: the holder may renew it
 * or tell progress meanwhile, but a later acceptance needs its own look.
 */
function ofSameAcceptance({ fence }: Handoff, decide: Decide): Decide {
  return (handoff, nowMs) =>
    handoff.fence === fence
      ? decide(handoff, nowMs)
      : refuse({ code: 'lease-lost', id: handoff.id, fence, state: handoff.state, newest: handoff.fence });
}

/** The answer follows the schema that its agent has promised, if there is one. */
async function schemaRefusal(
  { rules, store }: Surroundings,
  { target, result, body, unchecked }: DeliverRequest,
): Promise<SchemaRefusal | null> {
  if (rules.schemas === null || unchecked === true) return null;
  const whole =
    typeof target === 'string' || body === undefined
      ? await store.load(typeof target === 'string' ? target : target.id)
      : { handoff: target, body };
  const promised = whole === null ? null : rules.schemasOf(whole.handoff.to).output;
  if (promised !== null) {
    const checked = await rules.schemas.check(promised, result, 'result');
    if (!checked.ok) return checked.refusal;
  }
  const asked = whole === null ? null : askedSchema(whole.body);
  if (asked === null) return null;
  const checked = await rules.schemas.check(asked, contentOf(result), 'output');
  return checked.ok ? null : checked.refusal;
}

/** Looked for as text first: nearly no body names one, and every delivery passes here. */
function askedSchema(body: JsonText): string | null {
  return body.includes('"outputSchema":') ? ((JSON.parse(body) as Body).outputSchema ?? null) : null;
}

/** The schema of an answer is about its content, not about how it is wrapped. */
function contentOf(result: Json): Json {
  return answerOf(result).content;
}
