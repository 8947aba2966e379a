import { assert } from '../../foundation/assert.ts';
import type { Decision } from '../../domain/decision.ts';
import { hashOf, NO_TRAIL } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { assertValidRecord as assertSteps } from '../valid-record.ts';

/** The reference also hashes every fact again; the databases leave that to whoever reads a trail. */
export function assertValidTables(id: HandoffId, before: Handoff | null, decision: Decision): void {
  assertSteps(id, before, decision);
  let trail = before?.trail ?? NO_TRAIL;
  for (const fact of decision.facts) {
    assert(fact.hash === hashOf(fact, trail), 'each fact is hashed together with the one before it');
    trail = fact.hash;
  }
}
