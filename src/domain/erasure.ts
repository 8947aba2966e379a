/**
 * Erases the content of a finished handoff. Its facts keep their times, parties, states and hashes, and lose their
 * details. The fact `erase` seals what is left, so that the trail can still be checked: facts before it by the seal, later
 * facts by their hashes.
 */
import { digestOf } from '../foundation/digest.ts';
import type { JsonObject, JsonText } from '../foundation/json.ts';
import { detailIn } from './fact-detail-text.ts';
import type { Fact } from './facts.ts';
import { SENDER_TEXTS, type Handoff } from './handoff.ts';

/** Replaces an erased detail. */
export const ERASED_DETAIL = '{"erased":true}';

/** The body of an erased handoff. */
export const ERASED_BODY = '{"input":null,"erased":true}' as JsonText;

/** The field of the seal in the detail of the fact. */
const SEAL = 'erased';

export function isErasure({ deed }: Pick<Fact, 'deed'>): boolean {
  return deed === 'erase';
}

/** The fact without its detail. The detail of an earlier erasure stays, because it holds the seal. */
export function erasedFact(fact: Fact): Fact {
  return fact.detail === '' || isErasure(fact) ? fact : { ...fact, detail: ERASED_DETAIL };
}

/** A digest of what is left of these facts, including their original hashes. */
function erasureSeal(facts: readonly Fact[]): string {
  const left = facts.map(erasedFact).map((fact) => SEALED.map((name) => fact[name]));
  return digestOf(JSON.stringify(left));
}

/** The order is part of the seal and must not change. */
const SEALED = 'revision at by deed from to attempt fence detail hash'.split(' ') as readonly (keyof Fact)[];

export function erasureDetail(facts: readonly Fact[], reason: string | null): JsonObject {
  return { ...(reason === null ? {} : { reason }), [SEAL]: erasureSeal(facts) };
}

/** Whether `erasure` seals exactly these facts, and none of them still has a detail. */
export function isSealedBy(facts: readonly Fact[], erasure: Fact): boolean {
  if (facts.some((fact) => erasedFact(fact).detail !== fact.detail)) return false;
  return detailIn(erasure)[SEAL] === erasureSeal(facts);
}

const NO_TEXTS: Partial<Handoff> = Object.fromEntries(
  SENDER_TEXTS.filter((name) => name !== 'task').map((name) => [name, null]),
);

/** The record without its texts. Agents, task and chain stay, because other records refer to them. */
export function erasedRecord(handoff: Handoff): Handoff {
  const { check, ...terms } = handoff.terms;
  void check;
  return { ...handoff, ...NO_TEXTS, terms: { ...terms, deliverables: [], criteria: [] }, claims: [] };
}
