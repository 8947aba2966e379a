/**
 * Asserts that a decision is valid. A violation is a bug of ours, so it is not a refusal. It runs before the write,
 * because afterwards the trail would be wrong.
 */
import { assert } from '../foundation/assert.ts';
import type { Decision } from '../domain/decision.ts';
import { NO_TRAIL, type Fact } from '../domain/facts.ts';
import type { Handoff } from '../domain/handoff.ts';
import type { State } from '../domain/lifecycle.ts';
import type { HandoffId } from '../domain/names.ts';
import { flawOfRecord, flawOfTerms, flawOfTexts } from '../domain/record-values.ts';
import { isLegalStep } from '../domain/trail.ts';

export function assertValidRecord(id: HandoffId, before: Handoff | null, { handoff, facts, body }: Decision): void {
  assert(handoff.id === id, 'a decision never changes whose record it is');
  assert(facts.length > 0, 'nothing changes without a fact');
  assert(handoff.revision === (before?.revision ?? 0) + facts.length, 'each fact is one revision');
  let trail = before?.trail ?? NO_TRAIL;
  let state = before?.state ?? null;
  let revision = before?.revision ?? 0;
  for (const fact of facts) {
    assertFollows(id, fact, state, revision);
    ({ revision, to: state, hash: trail } = fact);
  }
  assert(handoff.state === state, 'the last fact leads to the state of the record');
  assert(handoff.trail === trail, 'the trail ends with the last fact');
  const isRevised = before !== null && facts.some(({ deed }) => deed === 'revise' || deed === 'erase');
  assert(isRevised === (body !== undefined), 'a revision or an erasure brings the body, and nothing else does');
  assertStorable(isRevised ? null : before, handoff);
}

/** A value that a database cannot store would fail all other records of the same statement or commit. */
function assertStorable(before: Handoff | null, handoff: Handoff): void {
  const ofTerms = before === null ? (flawOfTerms(handoff.terms) ?? flawOfTexts(handoff)) : null;
  const flaw = ofTerms ?? flawOfRecord(handoff);
  assert(flaw === null, `${flaw?.field ?? ''} ${flaw?.given ?? ''}: ${flaw?.allowed ?? ''}`);
}

function assertFollows(id: HandoffId, fact: Fact, state: State | null, revision: number): void {
  assert(fact.handoff === id, 'a fact is about the record it changes');
  assert(fact.revision === revision + 1, 'revisions are dense');
  assert(fact.from === state, 'a fact begins where the one before it ended');
  assert(isLegalStep(fact.deed, state, fact.to), `${fact.deed} does not lead from ${state ?? 'nothing'} to ${fact.to}`);
}
