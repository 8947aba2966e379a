/**
 * How a verb's wish becomes a decision: first whether the caller may know of the handoff at all, then the lifecycle,
 * then the rights, then the fact. Every change of a handoff in the house is made by a `Decide` that was built here.
 */
import type { JsonObject, JsonText } from '../foundation/json.ts';
import { present } from '../foundation/assert.ts';
import { err, ok, type Result } from '../foundation/result.ts';
import type { Decide, Decision } from '../domain/decision.ts';
import { deadLetterEffect } from '../domain/dead-letter.ts';
import { appendFact, type FactType, type AppendedFact } from '../domain/facts.ts';
import type { Handoff, Kind } from '../domain/handoff.ts';
import type { Moved } from '../domain/moves/step.ts';
import type { HandoffId } from '../domain/names.ts';
import { principalText, proven, type Principal } from '../domain/principal.ts';
import type { Refusal, RefusalCode } from '../domain/refusals.ts';
import { isHidden, may, type Op } from '../domain/rights.ts';
import { isShared, shareDetail } from '../domain/fact-detail-text.ts';
import type { Guard, Opening, Relayed } from '../stores/store.ts';
import type { WorkspaceRules, Context } from './context.ts';
import { signingAs } from './signatures.ts';

export interface RequestedMove {
  readonly deed: FactType;
  readonly moved: Moved;
  readonly detail?: JsonObject | null;
  readonly outcome?: JsonText;
  /** What a revised draft or an erased handoff carries. */
  readonly body?: JsonText;
}

/**
 * The operator has no acceptance whose fence it could show: it fails, releases or blocks whatever is held. Everybody
 * else shows the fence they were given.
 */
export function fenceFor(principal: Principal, handoff: Handoff, fence: number | null): number | null {
  const isForced = fence === null && principal.kind === 'operator' && handoff.state === 'accepted';
  return isForced ? handoff.fence : fence;
}

/**
 * These say more than "you may not": whoever comes too late with a result was entitled once, and has to learn that it
 * is no longer.
 */
const BEFORE_RIGHTS: readonly RefusalCode[] = ['lease-lost', 'move-not-allowed', 'too-early', 'not-overdue', 'overdue'];

export function decideBy(
  principal: Principal,
  op: Op,
  wish: (handoff: Handoff, nowMs: number) => RequestedMove,
): Decide {
  return (handoff, nowMs) => {
    if (isHidden(principal, handoff)) return err({ code: 'no-such-handoff', id: handoff.id });
    const { deed, moved, detail, outcome, body } = wish(handoff, nowMs);
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
    const facts = [seen.fact];
    const decided =
      outcome === undefined ? { handoff: seen.handoff, facts } : { handoff: seen.handoff, facts, outcome };
    return ok(body === undefined ? decided : { ...decided, body });
  };
}

/** For a decision that was prepared with what the handoff carried at this revision. */
export function atRevision(revision: number, decide: Decide): Decide {
  return (handoff, nowMs) =>
    handoff.revision === revision ? decide(handoff, nowMs) : err({ code: 'contended', id: handoff.id });
}

/**
 * Takes a decision over the record as it is now and writes nothing. Whatever has an effect outside the database (runs a
 * command, reads a file) asks this first, so that only a caller whose request can succeed causes the effect. The record
 * may change before the real decision, which therefore decides everything again.
 */
export async function previewDecision(
  ctx: Context,
  target: HandoffId | Handoff,
  decide: Decide,
): Promise<Result<Handoff, Refusal>> {
  await catchUp(ctx, target);
  const { store } = ctx;
  const id = typeof target === 'string' ? target : target.id;
  const handoff = typeof target === 'string' ? (await store.find({ by: 'ids', ids: [id] })).items[0] : target;
  if (handoff === undefined) return err({ code: 'no-such-handoff', id });
  const decided = decide(handoff, store.nowMs());
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

/** The first fact of a handoff: sealed, with what proves its principal and the policy that it was made under. */
export function appendCreation(
  rules: WorkspaceRules,
  principal: Principal,
  created: Handoff,
  body: JsonText,
  nowMs: number,
  detail: JsonObject | null = null,
): AppendedFact {
  const more = underPolicy(rules, proven(principal, detail));
  const sign = signingAs(principal, created);
  return appendFact(null, created, 'create', principalText(principal), nowMs, more, body, sign);
}

/** One change of one handoff, with whatever the rules of the house attach to it. */
export async function change(
  ctx: Context,
  target: HandoffId | Handoff,
  decide: Decide,
): Promise<Result<Handoff, Refusal>> {
  await catchUp(ctx, target);
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

/** One change and the handoffs that follow from it, all or none; openings bring their own effects. */
export async function relay(
  ctx: Context,
  target: HandoffId | Handoff,
  decide: Decide,
  openings: readonly Opening[],
  guard: Guard = {},
): Promise<Result<Relayed, Refusal>> {
  await catchUp(ctx, target);
  const relayed = await ctx.store.relay(target, withNotifications(ctx.rules, decide), openings, guard);
  if (relayed.ok) await reconcileFolders(ctx, [relayed.value.changed, ...relayed.value.inserted]);
  return relayed;
}

/**
 * Before anything is decided over a document, what git has brought of it is taken in. A decision over an older record would
 * be overruled by the commit that is checked out, and whoever made it would not have known of that commit.
 */
async function catchUp({ rules: { documents } }: Context, target: HandoffId | Handoff): Promise<void> {
  if (documents === null) return;
  if (typeof target === 'string') await documents.catchUp(target);
  else if (target.kind === 'document') await documents.catchUp(target.id);
}

/** In order, so that whoever looks into the folders meets the first one first. */
export async function reconcileFolders({ rules }: Context, handoffs: readonly Handoff[]): Promise<void> {
  for (const handoff of handoffs) {
    await mirrorOf(rules, handoff.kind)?.reconcile(handoff.id);
    if (handoff.kind === 'document') await rules.tasks?.reconcile(handoff);
  }
}

/** The files in which handoffs of a kind are told. */
function mirrorOf(rules: WorkspaceRules, kind: Kind): { reconcile(id: HandoffId): Promise<void> } | null {
  return kind === 'queue' ? rules.queue : rules.documents;
}

/** Adds to each fact what has to happen because of it. */
export function withNotifications(rules: WorkspaceRules, decide: Decide): Decide {
  return (handoff, nowMs) => {
    const decided = decide(handoff, nowMs);
    return decided.ok ? ok(withEffects(rules, decided.value)) : decided;
  };
}

/** The reason of blocking stands in the record alone, so a fact is told with the state it led to. */
export function withEffects(rules: WorkspaceRules, decision: Decision): Decision {
  const effects = decision.facts.flatMap((fact) => {
    const told = rules.notificationsFor({ ...decision.handoff, state: fact.to }, fact);
    const deadLetter = deadLetterEffect(decision.handoff, fact);
    return deadLetter === null ? told : [...told, deadLetter];
  });
  return effects.length === 0 ? decision : { ...decision, effects: [...(decision.effects ?? []), ...effects] };
}

/** Steps in one transaction, each with its own fact; the first that is refused refuses all. */
export function inOrder(steps: readonly Decide[]): Decide {
  return steps.reduce((before, next) => andThen(before, () => true, next));
}

/** Two steps in one transaction, each with its own fact; the second only where it is wanted. */
export function andThen(first: Decide, wanted: (handoff: Handoff) => boolean, second: Decide): Decide {
  return (handoff, nowMs) => {
    const one = first(handoff, nowMs);
    if (!one.ok || !wanted(one.value.handoff)) return one;
    const two = second(one.value.handoff, nowMs);
    if (!two.ok) return two;
    const effects = [...(one.value.effects ?? []), ...(two.value.effects ?? [])];
    const facts = [...one.value.facts, ...two.value.facts];
    const outcome = two.value.outcome ?? one.value.outcome;
    const body = two.value.body ?? one.value.body;
    const over = one.value.overLimits ?? two.value.overLimits;
    const { handoff: last } = two.value;
    return ok({
      handoff: last,
      facts,
      effects,
      ...(outcome === undefined ? {} : { outcome }),
      ...(body === undefined ? {} : { body }),
      ...(over === undefined ? {} : { overLimits: over }),
    });
  };
}
