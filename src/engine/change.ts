/**
 * Builds the decision for a requested move: first whether the caller may know of the handoff, then the lifecycle, then the
 * rights, then the fact. Every change of a handoff is made by a `Decide` that is built here.
 */
import type { JsonObject, JsonText } from '../foundation/json.ts';
import { present } from '../foundation/assert.ts';
import { err, ok, type Result } from '../foundation/result.ts';
import type { Decide, DecideFirst, Decision } from '../domain/decision.ts';
import { deadLetterEffect } from '../domain/dead-letter.ts';
import type { FactType } from '../domain/fact-types.ts';
import { appendFact, type AppendedFact } from '../domain/facts.ts';
import type { Handoff, Mutable } from '../domain/handoff.ts';
import { create, type Beginning } from '../domain/moves/create.ts';
import type { Moved } from '../domain/moves/step.ts';
import type { HandoffId } from '../domain/names.ts';
import { principalText, proven, type Principal } from '../domain/principal.ts';
import type { Refusal, RefusalCode } from '../domain/refusals.ts';
import { isHidden, may, type Op } from '../domain/rights.ts';
import { isShared, shareDetail } from '../domain/fact-detail-text.ts';
import type { Guard, NewHandoff, Relayed } from '../stores/store.ts';
import type { WorkspaceRules, Context } from './context.ts';
import { findHandoff } from './handoffs/find.ts';
import { signingAs } from './signatures.ts';

/** The record after the change, or a refusal. */
export type ChangeResult = Promise<Result<Handoff, Refusal>>;

export interface RequestedMove {
  /** The type of its fact, where that is not the operation. */
  readonly deed?: FactType;
  readonly moved: Moved;
  readonly detail?: JsonObject | null;
  readonly outcome?: JsonText;
  /** The body of a revised draft or an erased handoff. */
  readonly body?: JsonText;
}

/**
 * The operator has no acceptance and so no fence: it may fail, release or block any held handoff. All other callers show
 * the fence of their acceptance.
 */
export function fenceFor(principal: Principal, handoff: Handoff, fence: number | null): number | null {
  const isForced = fence === null && principal.kind === 'operator' && handoff.state === 'accepted';
  return isForced ? handoff.fence : fence;
}

/**
 * Refusals that come before the check of rights, because they say more than "not entitled": a worker that delivers too
 * late was entitled once, and must learn that its lease is lost.
 */
const BEFORE_RIGHTS: readonly RefusalCode[] = ['lease-lost', 'move-not-allowed', 'too-early', 'not-overdue', 'overdue'];

export function decideBy(
  principal: Principal,
  op: Op & FactType,
  request: (handoff: Handoff, nowMs: number) => RequestedMove,
): Decide {
  return (handoff, nowMs) => {
    if (isHidden(principal, handoff)) return err({ code: 'no-such-handoff', id: handoff.id });
    const { deed = op, moved, detail, outcome, body } = request(handoff, nowMs);
    if (!moved.ok && BEFORE_RIGHTS.includes(moved.refusal.code)) return moved;
    const entitled = may(principal, op, handoff);
    if (!entitled.ok) return entitled;
    if (!moved.ok) return moved;
    const seen = appendFact(
      handoff,
      moved.value,
      deed,
      principalText(principal),
      nowMs,
      proven(principal, detail ?? null),
      body ?? null,
      signingAs(principal, moved.value),
    );
    return ok(decisionOf(seen, outcome, body));
  };
}

function decisionOf({ handoff, fact }: AppendedFact, outcome?: JsonText, body?: JsonText): Decision {
  const decision: Mutable<Decision> = { handoff, facts: [fact] };
  if (outcome !== undefined) decision.outcome = outcome;
  if (body !== undefined) decision.body = body;
  return decision;
}

/** A step that follows from a rule and needs no right, such as the failure of an unreadable handoff. */
export function decideStep(
  by: string,
  deed: FactType,
  move: (handoff: Handoff, nowMs: number) => Moved,
  detail: JsonObject | null = null,
  outcome?: JsonText,
): Decide {
  return (handoff, nowMs) => {
    const moved = move(handoff, nowMs);
    return moved.ok ? ok(decisionOf(appendFact(handoff, moved.value, deed, by, nowMs, detail), outcome)) : moved;
  };
}

/** For a decision that was prepared from the content at this revision. */
export function atRevision(revision: number, decide: Decide): Decide {
  return (handoff, nowMs) =>
    handoff.revision === revision ? decide(handoff, nowMs) : err({ code: 'contended', id: handoff.id });
}

/**
 * Takes a decision over the current record and writes nothing. An operation with an effect outside the database (running a
 * command, reading a file) calls this first, so that only a request that can succeed causes the effect. The record may
 * change before the real decision, which therefore checks everything again.
 */
export async function previewDecision(ctx: Context, target: HandoffId | Handoff, decide: Decide): ChangeResult {
  await catchUp(ctx, target);
  const handoff = typeof target === 'string' ? await findHandoff(ctx, target) : target;
  if (handoff === null) return err({ code: 'no-such-handoff', id: target as HandoffId });
  const decided = decide(handoff, ctx.store.nowMs());
  return decided.ok ? ok(handoff) : decided;
}

/** The detail of a fact with the version of the policy that it was decided under. */
export function underPolicy({ policyVersion }: WorkspaceRules, detail: JsonObject | null): JsonObject | null {
  if (policyVersion === 0) return detail;
  const proof = detail ?? NO_PROOF;
  const known = underVersion.get(proof);
  if (known?.['policy'] === policyVersion) return known;
  const more = { ...proof, policy: policyVersion };
  if (isShared(proof)) underVersion.set(proof, shareDetail(more));
  return more;
}

const NO_PROOF = shareDetail({});
/** What proves a principal, with the newest policy. */
const underVersion = new WeakMap<JsonObject, JsonObject>();

/**
 * The decision that creates a record. `then`: a further step in the same transaction, such as the acceptance by a program
 * that had the file before Baton knew of it; null: none.
 */
export function decideCreation(
  { rules }: Context,
  principal: Principal,
  beginning: Beginning,
  body: JsonText,
  detail: JsonObject | null,
  then: (begun: Handoff) => Decide | null,
): DecideFirst {
  return (nowMs, dependencies) => {
    const created = create(beginning, dependencies, nowMs);
    if (!created.ok) return created;
    const entitled = may(principal, 'create', created.value);
    if (!entitled.ok) return entitled;
    const factDetail = underPolicy(rules, proven(principal, detail));
    const sign = signingAs(principal, created.value);
    const by = principalText(principal);
    const { handoff, fact } = appendFact(null, created.value, 'create', by, nowMs, factDetail, body, sign);
    const more = then(handoff)?.(handoff, nowMs);
    if (more === undefined) return ok({ handoff, facts: [fact] });
    return more.ok ? ok({ ...more.value, facts: [fact, ...more.value.facts] }) : more;
  };
}

/** A change that needs a right of the principal. */
export async function changeBy(
  ctx: Context,
  principal: Principal,
  target: HandoffId | Handoff,
  op: Op & FactType,
  request: (handoff: Handoff, nowMs: number) => RequestedMove,
): ChangeResult {
  return change(ctx, target, decideBy(principal, op, request));
}

/** One change of one handoff, with the effects that the rules of the workspace attach to its facts. */
export async function change(ctx: Context, target: HandoffId | Handoff, decide: Decide): ChangeResult {
  if (ctx.rules.documents !== null) await catchUp(ctx, target);
  let outcome: JsonText | undefined;
  const decideOnce: Decide = (handoff, nowMs) => {
    const decided = decide(handoff, nowMs);
    outcome = decided.ok ? decided.value.outcome : undefined;
    return decided;
  };
  const [answer] = await ctx.store.change([target], withNotifications(ctx.rules, decideOnce));
  const changed = present(answer, 'one target, one answer');
  if (changed.ok && changed.value.kind === 'queue')
    await ctx.rules.queue?.reconcile(changed.value.id, { handoff: changed.value, outcome });
  else if (changed.ok) await reconcileFolders(ctx, [changed.value]);
  return changed;
}

/** One change and the handoffs that follow from it, all or none. New handoffs have their own effects. */
export async function relay(
  ctx: Context,
  target: HandoffId | Handoff,
  decide: Decide,
  newHandoffs: readonly NewHandoff[],
  guard: Guard = {},
): Promise<Result<Relayed, Refusal>> {
  await catchUp(ctx, target);
  const relayed = await ctx.store.relay(target, withNotifications(ctx.rules, decide), newHandoffs, guard);
  if (relayed.ok) await reconcileFolders(ctx, [relayed.value.changed, ...relayed.value.inserted]);
  return relayed;
}

/**
 * Imports commits of a document before a decision about it. Otherwise the checked-out commit would overrule the decision,
 * and the caller would not have known of the commit.
 */
async function catchUp({ rules: { documents } }: Context, target: HandoffId | Handoff): Promise<void> {
  if (documents === null) return;
  if (typeof target === 'string') await documents.catchUp(target);
  else if (target.kind === 'document') await documents.catchUp(target.id);
}

/** In order, so that the first handoff appears in the folders first. */
export async function reconcileFolders({ rules }: Context, handoffs: readonly Handoff[]): Promise<void> {
  for (const handoff of handoffs) {
    await (handoff.kind === 'queue' ? rules.queue : rules.documents)?.reconcile(handoff.id);
    if (handoff.kind === 'document') await rules.tasks?.reconcile(handoff);
  }
}

/** Adds the effects of each fact to a decision. */
export function withNotifications<Given extends readonly unknown[]>(
  rules: WorkspaceRules,
  decide: (...given: Given) => Result<Decision, Refusal>,
): (...given: Given) => Result<Decision, Refusal> {
  return (...given) => {
    const decided = decide(...given);
    return decided.ok ? ok(withEffects(rules, decided.value)) : decided;
  };
}

/** The rules get the record with the state after the fact, because only the record says why a handoff is blocked. */
function withEffects(rules: WorkspaceRules, decision: Decision): Decision {
  const { handoff } = decision;
  const effects = decision.facts.flatMap((fact) => {
    const after = handoff.state === fact.to ? handoff : { ...handoff, state: fact.to };
    const notifications = rules.notificationsFor(after, fact);
    const deadLetter = deadLetterEffect(handoff, fact);
    return deadLetter === null ? notifications : [...notifications, deadLetter];
  });
  return effects.length === 0 ? decision : { ...decision, effects: [...(decision.effects ?? []), ...effects] };
}

/** Steps in one transaction, each with its own fact. The first refusal refuses all. */
export function inOrder(steps: readonly Decide[]): Decide {
  return steps.reduce((before, next) => andThen(before, () => true, next));
}

/** Two steps in one transaction, each with its own fact; the second only if `wanted`. */
export function andThen(first: Decide, wanted: (handoff: Handoff) => boolean, second: Decide): Decide {
  return (handoff, nowMs) => {
    const one = first(handoff, nowMs);
    if (!one.ok || !wanted(one.value.handoff)) return one;
    const two = second(one.value.handoff, nowMs);
    if (!two.ok) return two;
    const facts = [...one.value.facts, ...two.value.facts];
    const effects = [...(one.value.effects ?? []), ...(two.value.effects ?? [])];
    return ok({ ...one.value, ...two.value, facts, effects });
  };
}
