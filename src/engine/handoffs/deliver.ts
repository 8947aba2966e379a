import { writeJson, type Json, type JsonObject, type JsonProblem, type JsonText } from '../../foundation/json.ts';
import { err, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { deliver as delivered, type Delivery } from '../../domain/moves/deliver.ts';
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
  /** Evidence for the deliverables; it is checked before anything is written. */
  readonly evidence?: readonly EvidenceRequest[];
  /** The body of the handoff, which saves reading it again. */
  readonly body?: JsonText;
  /** Do not check the result against schemas: a foreign program cannot correct it. */
  readonly unchecked?: true;
  /** Further details of this attempt for the trail. */
  readonly detail?: JsonObject;
  readonly signal?: AbortSignal;
}

export type DeliverRefusal = Refusal | SchemaRefusal | { readonly code: 'not-json'; readonly problem: JsonProblem };

type Shown = Pick<Delivery, 'claims' | 'checks'>;
const NOTHING_SHOWN: Shown = { claims: [], checks: [] };

/**
 * Completes delivered work in the same transaction if no verification is needed. `reported`: the source of a completion
 * that Baton has not observed itself.
 */
export function completeByRule(reported: string | null = null): Decide {
  const detail = reported === null ? null : { reported };
  return decideBy(SYSTEM, 'complete', (handoff, nowMs) => ({ moved: complete(handoff, nowMs), detail }));
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
  // The sender may have fixed a command that has to pass.
  const mayBeFixed = typeof request.target === 'string' || request.target.terms.check !== undefined;
  // Most deliveries need nothing outside the database, and are decided once.
  const hasSchemas = request.unchecked !== true && mayHaveSchemas(ctx, request.target);
  const needsPreview = evidence.length > 0 || mayBeFixed || hasSchemas;
  const previewed = needsPreview
    ? await previewDecision(ctx, request.target, decidePreview(principal, request, evidence, text.value))
    : null;
  if (previewed?.ok === false) return previewed;
  const record = previewed?.value ?? null;
  const broken = record !== null && hasSchemas ? await schemaRefusal(ctx, request, record.to) : null;
  if (broken !== null) return err(broken);
  const hasEvidence = record !== null && (evidence.length > 0 || record.terms.check !== undefined);
  const shown = hasEvidence ? await ctx.rules.evidence.collect(evidence, record, signal) : NOTHING_SHOWN;
  const decide = decideDelivery(principal, request, shown, text.value, detailOf(ctx, shown));
  const decideAll = andThen(decide, (handoff) => !needsVerifier(handoff), COMPLETE);
  return change(ctx, request.target, record === null ? decideAll : ofSameAcceptance(record, decideAll));
}

function decideDelivery(
  principal: Principal,
  { fence, detail }: DeliverRequest,
  { claims, checks }: Shown,
  outcome: JsonText,
  checked: JsonObject | null = null,
): Decide {
  return decideBy(principal, 'deliver', (handoff, nowMs) => ({
    moved: delivered(handoff, { fence, claims, checks }, nowMs),
    detail: detail === undefined && checked === null ? null : { ...detail, ...checked },
    outcome,
  }));
}

/** The checks and where they ran, for later checks of the same evidence. */
function detailOf({ rules }: Context, { checks }: Shown): JsonObject | null {
  if (checks.length === 0) return null;
  return underPolicy(rules, { where: rules.evidence.where, checks: checks.map((check) => ({ ...check })) });
}

/** The delivery as if all evidence held, so that a wrong deliverable is refused before any command runs. */
function decidePreview(
  principal: Principal,
  request: DeliverRequest,
  evidence: readonly EvidenceRequest[],
  outcome: JsonText,
): Decide {
  return (handoff, nowMs) => {
    const claims = withFixedCheck(evidence, handoff).map(({ deliverable, value }) => ({
      deliverable,
      evidence: [{ kind: 'note' as const, text: value }],
    }));
    return decideDelivery(principal, request, { claims, checks: [] }, outcome)(handoff, nowMs);
  };
}

/**
 * Commands may run for minutes. Their checks belong to the acceptance that was previewed: the holder may renew it or
 * report progress meanwhile, but a later acceptance needs checks of its own.
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

/** Null: the result follows every schema that is registered, configured or asked for. */
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
  if (whole === null) return null;
  const promised = rules.schemasOf(whole.handoff.to).output;
  const promise = promised === null ? null : await rules.schemas.check(promised, result, 'result');
  if (promise?.ok === false) return promise.refusal;
  const asked = askedSchema(whole.body);
  if (asked === null) return null;
  // The schema applies to the content of the answer, without its wrapper.
  const checked = await rules.schemas.check(asked, answerOf(result).content, 'output');
  return checked.ok ? null : checked.refusal;
}

/** Searches the text before parsing it: few bodies name a schema, and every delivery comes here. */
function askedSchema(body: JsonText): string | null {
  return body.includes('"outputSchema":') ? ((JSON.parse(body) as Body).outputSchema ?? null) : null;
}
