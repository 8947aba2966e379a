import { writeJson, type Json, type JsonObject, type JsonProblem, type JsonText } from '../../foundation/json.ts';
import { err, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Check, Claim } from '../../domain/evidence.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { deliver as delivered } from '../../domain/moves/deliver.ts';
import { complete } from '../../domain/moves/verify.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { SYSTEM, type Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { needsVerifier } from '../../domain/verification.ts';
import { answerOf } from '../../formats/queue-message/answer.ts';
import { andThen, change, decideBy, previewDecision, underPolicy } from '../change.ts';
import { withFixedCheck, type EvidenceRequest } from '../evidence-checker.ts';
import type { SchemaRefusal } from '../schema-registry.ts';
import type { Context } from '../context.ts';

export interface DeliverRequest {
  /** The record from the claim saves reading it again. */
  readonly target: HandoffId | Handoff;
  readonly fence: number | null;
  readonly result: Json;
  /** What is shown for the deliverables; it is looked at before anything is written. */
  readonly evidence?: readonly EvidenceRequest[];
  /** What the handoff carries, for whoever has it at hand. */
  readonly body?: JsonText;
  /** Taken as it is: whoever answered cannot be asked to do better. */
  readonly unchecked?: true;
  /** What else the trail says of this attempt. */
  readonly detail?: JsonObject;
  readonly signal?: AbortSignal;
}

export type DeliverRefusal = Refusal | SchemaRefusal | { readonly code: 'not-json'; readonly problem: JsonProblem };

const NOTHING_SHOWN: { readonly claims: readonly Claim[]; readonly checks: readonly Check[] } = {
  claims: [],
  checks: [],
};

/**
 * Where nobody has to verify, delivered work is completed in the same transaction. `reported`: the only thing that the
 * completion is known from, where nobody has seen the work being done.
 */
export function completeByRule(reported: string | null = null): Decide {
  const detail = reported === null ? null : { reported };
  return decideBy(SYSTEM, 'complete', (handoff, nowMs) => ({
    deed: 'complete',
    moved: complete(handoff, nowMs),
    detail,
  }));
}

const COMPLETE: Decide = completeByRule();

export async function deliver(
  ctx: Context,
  principal: Principal,
  request: DeliverRequest,
): Promise<Result<Handoff, DeliverRefusal>> {
  const outcome: Outcome = { kind: 'result', result: request.result };
  const text = writeJson(outcome);
  if (!text.ok) return err({ code: 'not-json', problem: text.refusal });
  const { evidence = [], signal } = request;
  // The sender may have fixed a command that has to pass, whatever else is shown.
  const mayBeFixed = typeof request.target === 'string' || request.target.terms.check !== undefined;
  // Most deliveries look at nothing outside the database, and are decided once.
  const hasSchemas = request.unchecked !== true && mayHaveSchemas(ctx, request.target);
  const looksOutside = evidence.length > 0 || mayBeFixed || hasSchemas;
  const seen = looksOutside
    ? await previewDecision(ctx, request.target, decideFirstLook(principal, request, evidence, text.value))
    : null;
  if (seen?.ok === false) return seen;
  const broken = seen !== null && hasSchemas ? await schemaRefusal(ctx, request, seen.value.to) : null;
  if (broken !== null) return err(broken);
  const { evidence: desk } = ctx.rules;
  const needsLook = evidence.length > 0 || seen?.value.terms.check !== undefined;
  const shown = needsLook && seen !== null ? await desk.collect(evidence, seen.value, signal) : NOTHING_SHOWN;
  const decide = decideDelivery(principal, request, shown, text.value, detailOf(ctx, shown));
  const decideAll = andThen(decide, (handoff) => !needsVerifier(handoff), COMPLETE);
  return change(ctx, request.target, seen === null ? decideAll : ofSameAcceptance(seen.value, decideAll));
}

type Shown = typeof NOTHING_SHOWN;

function decideDelivery(
  principal: Principal,
  { fence, detail }: DeliverRequest,
  { claims, checks }: Shown,
  outcome: JsonText,
  seen: JsonObject | null = null,
): Decide {
  return decideBy(principal, 'deliver', (handoff, nowMs) => ({
    deed: 'deliver',
    moved: delivered(handoff, { fence, claims, checks }, nowMs),
    detail: detail === undefined && seen === null ? null : { ...detail, ...seen },
    outcome,
  }));
}

/** What the machine saw and where, for whoever looks again. */
function detailOf({ rules }: Context, { checks }: Shown): JsonObject | null {
  if (checks.length === 0) return null;
  return underPolicy(rules, { where: rules.evidence.where, checks: checks.map((check) => ({ ...check })) });
}

/** What will be claimed if everything that is shown holds: refused now, a wrong name runs no command. */
function decideFirstLook(
  principal: Principal,
  request: DeliverRequest,
  evidence: readonly EvidenceRequest[],
  outcome: JsonText,
): Decide {
  return (handoff, nowMs) =>
    decideDelivery(principal, request, asIfShown(withFixedCheck(evidence, handoff)), outcome)(handoff, nowMs);
}

function asIfShown(evidence: readonly EvidenceRequest[]): Shown {
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
      : err({ code: 'lease-lost', id: handoff.id, fence, state: handoff.state, newest: handoff.fence });
}

function mayHaveSchemas({ rules }: Context, target: HandoffId | Handoff): boolean {
  if (rules.schemas !== null) return true;
  return rules.registered !== null && (typeof target === 'string' || rules.registered.of(target.to) !== null);
}

/** The answer follows the schemas that its agent has promised, if there are any. */
async function schemaRefusal(
  { rules, store }: Context,
  { target, result, body }: DeliverRequest,
  agent: AgentId,
): Promise<SchemaRefusal | null> {
  const follows = await rules.registered?.check(agent, 'output', result);
  if (follows?.ok === false) return follows.refusal;
  if (rules.schemas === null) return null;
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
