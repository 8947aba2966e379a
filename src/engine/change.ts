/**
 * How a verb's wish becomes a decision: the lifecycle first, then the rights, then the fact. Every change of a handoff
 * in the house is made by a `Decide` that was built here.
 */
import type { JsonObject, JsonText } from '../foundation/json.ts';
import { present } from '../foundation/assert.ts';
import { yes, type Result } from '../foundation/result.ts';
import type { Decide, Decision } from '../domain/decision.ts';
import { witness, type Deed } from '../domain/facts.ts';
import type { Handoff, Kind } from '../domain/handoff.ts';
import type { Moved } from '../domain/moves/step.ts';
import type { HandoffId } from '../domain/names.ts';
import { principalText, type Principal } from '../domain/principal.ts';
import type { Refusal, RefusalCode } from '../domain/refusals.ts';
import { may, type Op } from '../domain/rights.ts';
import type { HouseRules, Surroundings } from './surroundings.ts';

export interface Wish {
  readonly deed: Deed;
  readonly moved: Moved;
  readonly detail?: JsonObject | null;
  readonly outcome?: JsonText;
}

/**
 * These say more than "you may not": whoever comes too late with a result was entitled once, and has to learn that it
 * is no longer.
 */
const BEFORE_RIGHTS: readonly RefusalCode[] = ['lease-lost', 'move-not-allowed', 'too-early', 'not-overdue'];

export function decideBy(principal: Principal, op: Op, wish: (handoff: Handoff, nowMs: number) => Wish): Decide {
  return (handoff, nowMs) => {
    const { deed, moved, detail, outcome } = wish(handoff, nowMs);
    if (!moved.ok && BEFORE_RIGHTS.includes(moved.refusal.code)) return moved;
    const entitled = may(principal, op, handoff);
    if (!entitled.ok) return entitled;
    if (!moved.ok) return moved;
    const seen = witness(handoff, moved.value, deed, principalText(principal), nowMs, detail ?? null);
    const facts = [seen.fact];
    return yes(outcome === undefined ? { handoff: seen.handoff, facts } : { handoff: seen.handoff, facts, outcome });
  };
}

/** One change of one handoff, with whatever the rules of the house attach to it. */
export async function change(
  around: Surroundings,
  target: HandoffId | Handoff,
  decide: Decide,
): Promise<Result<Handoff, Refusal>> {
  const [answer] = await around.store.change([target], announced(around.rules, decide));
  const changed = present(answer, 'one target, one answer');
  if (changed.ok) await mirrorOf(around.rules, changed.value.kind)?.attend(changed.value.id);
  return changed;
}

/** The files in which handoffs of a kind are told. */
export function mirrorOf(rules: HouseRules, kind: Kind): { attend(id: HandoffId): Promise<void> } | null {
  return kind === 'queue' ? rules.queue : rules.documents;
}

/** Adds to each fact what has to happen because of it. */
export function announced(rules: HouseRules, decide: Decide): Decide {
  return (handoff, nowMs) => {
    const decided = decide(handoff, nowMs);
    return decided.ok ? yes(withEffects(rules, decided.value)) : decided;
  };
}

/** The reason of blocking stands in the record alone, so a fact is told with the state it led to. */
export function withEffects(rules: HouseRules, decision: Decision): Decision {
  const effects = decision.facts.flatMap((fact) => rules.announce({ ...decision.handoff, state: fact.to }, fact));
  return effects.length === 0 ? decision : { ...decision, effects: [...(decision.effects ?? []), ...effects] };
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
    const { handoff: last } = two.value;
    return yes(outcome === undefined ? { handoff: last, facts, effects } : { handoff: last, facts, effects, outcome });
  };
}
