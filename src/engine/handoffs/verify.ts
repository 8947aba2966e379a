/** Verifies delivered work or requests rework. The evidence is checked again before a verification. */
import type { JsonObject } from '../../foundation/json.ts';
import { err } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import { proofOf } from '../../domain/assurance.ts';
import type { Check } from '../../domain/evidence.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { rework as reworked, verify as verified } from '../../domain/moves/verify.ts';
import type { HandoffId } from '../../domain/names.ts';
import { principalText, type Principal } from '../../domain/principal.ts';
import { change, changeBy, decideBy, previewDecision, underPolicy, type ChangeResult } from '../change.ts';
import type { Context } from '../context.ts';
import { factsOf } from './read.ts';

export interface CriterionCheck {
  readonly criterion: string;
  readonly says: string;
}

export interface VerifyRequest {
  readonly id: HandoffId;
  readonly criteria: readonly CriterionCheck[];
  readonly notes?: string;
  /** Evidence of the verifier, in addition to that of the doer. */
  readonly seen?: readonly { readonly deliverable: string; readonly evidence: readonly string[] }[];
}

export async function verify(
  ctx: Context,
  principal: Principal,
  { id, criteria, notes, seen: shown = [] }: VerifyRequest,
  signal?: AbortSignal,
): ChangeResult {
  const decideWith = (checks: readonly Check[], more: JsonObject = {}): Decide =>
    decideBy(principal, 'verify', (handoff, nowMs) => ({
      moved: verified(handoff, { checks, criteria: criteria.map(({ criterion }) => criterion) }, nowMs),
      detail: { ...recordOf(checks, criteria, notes), ...seenDetail(shown), ...more },
    }));
  const previewed = await previewDecision(ctx, id, decideWith([]));
  if (!previewed.ok) return previewed;
  const { claims, revision } = previewed.value;
  const part = await partInChain(ctx, principal, previewed.value);
  if (part !== null) return err({ code: 'own-work', id, principal: principalText(principal), part });
  // Commands may run for minutes: never inside a transaction, and bound to the revision that was looked at.
  const checks = await ctx.rules.evidence.check(claims, previewed.value, signal);
  const more = underPolicy(ctx.rules, {
    ...(checks.length === 0 ? {} : { where: ctx.rules.evidence.where }),
    ...((await isSameUser(ctx, principal, id)) ? { sameUser: true } : {}),
  });
  const decide = decideWith(checks, more ?? {});
  return change(ctx, id, (handoff, nowMs) =>
    handoff.state === 'delivered' && handoff.revision !== revision
      ? err({ code: 'contended', id })
      : decide(handoff, nowMs),
  );
}

/** At most this many handoffs of a chain are read. */
const CHAIN_MAX = 1_000;

/** An agent that did a part of the work, below this handoff or beside it, may not verify it. */
async function partInChain(
  { store }: Context,
  principal: Principal,
  { id, lineage }: Handoff,
): Promise<'child' | 'sibling' | null> {
  const speaker = principal.kind === 'writer' ? principal.as : principal;
  if (speaker.kind !== 'agent') return null;
  const { items } = await store.find({ by: 'chain', root: lineage.root ?? id, max: CHAIN_MAX });
  const done = items.filter((each) => each.id !== id && each.to === speaker.agent && each.attempt > 0);
  const parents = new Map(items.map((each) => [each.id, each.lineage.parent]));
  const isBelow = (each: Handoff): boolean => {
    for (let at = each.lineage.parent, hops = 0; at !== null && hops < CHAIN_MAX; at = parents.get(at) ?? null) {
      if (at === id) return true;
      hops += 1;
    }
    return false;
  };
  if (done.some(isBelow)) return 'child';
  const isBeside = (each: Handoff): boolean => lineage.parent !== null && each.lineage.parent === lineage.parent;
  return done.some(isBeside) ? 'sibling' : null;
}

/**
 * With local identity, a user who can open the database can use any token. So delivery and verification by the same user
 * are marked, whatever agents they name.
 */
async function isSameUser(ctx: Context, principal: Principal, id: HandoffId): Promise<boolean> {
  const user = principal.kind === 'agent' || principal.kind === 'operator' ? principal.user : undefined;
  if (user === undefined) return false;
  const delivery = (await factsOf(ctx, id)).findLast(({ deed }) => deed === 'deliver');
  if (delivery === undefined) return false;
  const proof = proofOf(delivery);
  return proof.by === 'local' || (proof.by === 'token' && proof.user === user);
}

/** Sends the work back to the doer with the reason. */
export async function requestRework(ctx: Context, principal: Principal, id: HandoffId, reason: string): ChangeResult {
  return changeBy(ctx, principal, id, 'rework', (handoff, nowMs) => ({
    ...reworked(handoff, nowMs),
    detail: { reason },
  }));
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

/** Stored in the fact, because the record keeps only the evidence of the doer. */
export function seenDetail(seen: Required<VerifyRequest>['seen']): JsonObject {
  const shown = seen.filter(({ evidence }) => evidence.length > 0);
  return shown.length === 0 ? {} : { seen: shown.map(({ deliverable, evidence }) => ({ deliverable, evidence })) };
}
