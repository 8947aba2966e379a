/** Takes the decisions of one insert, in order. The first refusal refuses all. */
import { assert } from '../../foundation/assert.ts';
import type { DependencyStates } from '../../domain/dependencies.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { assertValidRecord } from '../valid-record.ts';
import type { NewHandoff } from '../store.ts';
import { cycleAmong, statesFor, type DependencyFacts } from './dependencies.ts';
import type { InsertRow } from './insert-statement.ts';

export type Decided =
  | { readonly ok: true; readonly newRows: readonly InsertRow[] }
  /** `upTo`: how many new handoffs were decided, including the refused one. */
  | { readonly ok: false; readonly refusal: Refusal; readonly upTo: number };

const NO_DEPENDENCIES: DependencyStates = new Map();

export function decideAll(
  newHandoffs: readonly NewHandoff[],
  nowMs: number,
  dependencyFacts: DependencyFacts | null = null,
): Decided {
  return decider(newHandoffs, nowMs, dependencyFacts)(0, newHandoffs.length);
}

/** Decides a part of the call; the parts must come in order. */
export type DecidePart = (from: number, to: number) => Decided;

export function decider(
  newHandoffs: readonly NewHandoff[],
  nowMs: number,
  dependencyFacts: DependencyFacts | null = null,
): DecidePart {
  const together = new Map(dependencyFacts === null ? [] : newHandoffs.map(({ id, dependsOn }) => [id, dependsOn]));
  const seen = new Set<HandoffId>();
  return (from, to) => {
    const newRows: InsertRow[] = [];
    for (const [index, newHandoff] of newHandoffs.slice(from, to).entries()) {
      const { id } = newHandoff;
      const refused = (refusal: Refusal): Decided => ({ ok: false, refusal, upTo: from + index + 1 });
      if (seen.has(id) || dependencyFacts?.known.has(id) === true) return refused({ code: 'known-id', id });
      seen.add(id);
      const ring = dependencyFacts === null ? null : cycleAmong(newHandoff, together, dependencyFacts);
      if (ring !== null) return refused({ code: 'dependency-cycle', ring });
      const states = dependencyFacts === null ? NO_DEPENDENCIES : statesFor(newHandoff, together, dependencyFacts);
      const decision = newHandoff.decide(nowMs, states);
      if (!decision.ok) return refused(decision.refusal);
      assertValidRecord(id, null, decision.value);
      assert(
        sameIds(decision.value.handoff.terms.dependsOn, newHandoff.dependsOn),
        'the record has the dependencies of its request',
      );
      newRows.push({ decision: decision.value, body: newHandoff.body });
    }
    return { ok: true, newRows };
  };
}

function sameIds(some: readonly HandoffId[], others: readonly HandoffId[]): boolean {
  return some.length === others.length && some.every((id, index) => id === others[index]);
}
