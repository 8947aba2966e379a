/**
 * Erases the content of a finished handoff. Its facts keep their times, parties, states and hashes; their details go. The
 * fact `erase` seals what is left, so that the trail can still be checked: before that fact by the seal, from it on by
 * the hashes.
 */
import { digestOf } from '../foundation/digest.ts';
import type { JsonObject, JsonText } from '../foundation/json.ts';
import { detailIn } from './fact-detail-text.ts';
import type { Fact } from './facts.ts';
import type { Handoff } from './handoff.ts';

/** Stands where a detail was. */
export const ERASED_DETAIL = '{"erased":true}';

/** What an erased handoff carries. */
export const ERASED_BODY = '{"input":null,"erased":true}' as JsonText;

/** In the detail of the fact. */
const SEAL = 'erased';

export function isErasure({ deed }: Pick<Fact, 'deed'>): boolean {
  return deed === 'erase';
}

/** What is left of a fact. The detail of an earlier erasure stays, because it holds the seal. */
export function erasedFact(fact: Fact): Fact {
  return fact.detail === '' || isErasure(fact) ? fact : { ...fact, detail: ERASED_DETAIL };
}

/** A digest of everything that is left of these facts, with the hashes that they had. */
function erasureSeal(facts: readonly Fact[]): string {
  const left = facts.map(erasedFact).map((fact) => SEALED.map((name) => fact[name]));
  return digestOf(JSON.stringify(left));
}

/** In the order in which seals were always made. */
const SEALED = 'revision at by deed from to attempt fence detail hash'.split(' ') as readonly (keyof Fact)[];

export function erasureDetail(facts: readonly Fact[], reason: string | null): JsonObject {
  return { ...(reason === null ? {} : { reason }), [SEAL]: erasureSeal(facts) };
}

/** Whether `erasure` seals exactly these facts, and none of them has a detail any more. */
export function isSealedBy(facts: readonly Fact[], erasure: Fact): boolean {
  if (facts.some((fact) => erasedFact(fact).detail !== fact.detail)) return false;
  return detailIn(erasure)[SEAL] === erasureSeal(facts);
}

/** The record without its texts. Names of agents, the task and the chain stay, because other records refer to them. */
export function erasedRecord(handoff: Handoff): Handoff {
  const { check, ...terms } = handoff.terms;
  void check;
  return { ...handoff, title: null, terms: { ...terms, deliverables: [], criteria: [] }, claims: [] };
}
