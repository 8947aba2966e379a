/** Lets the openings of one call decide, in their order; the first that refuses refuses for all. */
import { assert } from '../../foundation/assert.ts';
import type { DependencyStates } from '../../domain/dependencies.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { assertValidRecord } from '../valid-record.ts';
import type { Opening } from '../store.ts';
import { cycleAmong, statesFor, type DependencyFacts } from './dependencies.ts';
import type { InsertRow } from './insert-statement.ts';

export type Decided =
  | { readonly ok: true; readonly newcomers: readonly InsertRow[] }
  /** `upTo`: how many openings had been looked at, the refused one included. */
  | { readonly ok: false; readonly refusal: Refusal; readonly upTo: number };

const NO_DEPENDENCIES: DependencyStates = new Map();

export function decideAll(
  openings: readonly Opening[],
  nowMs: number,
  surroundings: DependencyFacts | null = null,
): Decided {
  return decider(openings, nowMs, surroundings)(0, openings.length);
}

/** Decides over all of a call, a part of them at a time and in their order. */
export type DecidePart = (from: number, to: number) => Decided;

export function decider(
  openings: readonly Opening[],
  nowMs: number,
  surroundings: DependencyFacts | null = null,
): DecidePart {
  const together = new Map(openings.map(({ id, dependsOn }) => [id, dependsOn]));
  const seen = new Set<HandoffId>();
  return (from, to) => {
    const newcomers: InsertRow[] = [];
    for (const [index, opening] of openings.slice(from, to).entries()) {
      const { id } = opening;
      const refused = (refusal: Refusal): Decided => ({ ok: false, refusal, upTo: from + index + 1 });
      if (seen.has(id) || surroundings?.known.has(id) === true) return refused({ code: 'known-id', id });
      seen.add(id);
      const ring = surroundings === null ? null : cycleAmong(opening, together, surroundings);
      if (ring !== null) return refused({ code: 'dependency-cycle', ring });
      const states = surroundings === null ? NO_DEPENDENCIES : statesFor(opening, together, surroundings);
      const decision = opening.decide(nowMs, states);
      if (!decision.ok) return refused(decision.refusal);
      assertValidRecord(id, null, decision.value);
      assert(
        sameIds(decision.value.handoff.terms.dependsOn, opening.dependsOn),
        'a record waits for what it was opened with',
      );
      newcomers.push({ decision: decision.value, body: opening.body });
    }
    return { ok: true, newcomers };
  };
}

function sameIds(some: readonly HandoffId[], others: readonly HandoffId[]): boolean {
  return some.length === others.length && some.every((id, index) => id === others[index]);
}
