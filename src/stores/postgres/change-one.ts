/** Changes that take a slot under a limit: rare, so one record at a time, with the counters of its agents locked. */
import { err, ok } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import { hasNoLimits, type Limits } from '../../domain/limits.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { leaseLost } from '../custody.ts';
import { assertValidRecord } from '../valid-record.ts';
import { idOf, ROUNDS_MAX, type Target } from '../store.ts';
import type { Answer, ChangeParts } from './change.ts';
import type { Connection } from './connection.ts';
import { records, findOwnFacts } from './load.ts';
import { beginCounting, limitRefusal, uncounted } from './limits.ts';
import { acquiringSession, needsOfMove, ownFactOf, move, type PlannedMove } from './write-moves.ts';

export async function changeOneByOne(
  parts: ChangeParts,
  targets: readonly Target[],
  decide: Decide,
  answers: Map<number, Answer>,
): Promise<void> {
  for (const [index, target] of targets.entries()) {
    for (let round = 0; !answers.has(index) && round < ROUNDS_MAX; round += 1) {
      const answer = await changeOne(parts, target, decide);
      if (answer !== null) answers.set(index, answer);
    }
  }
}

/** Null: the record has changed since it was read. */
async function changeOne(parts: ChangeParts, target: Target, decide: Decide): Promise<Answer | null> {
  const id = idOf(target);
  const before = (await records(parts.reads, [id])).get(id);
  if (before === undefined) return err({ code: 'no-such-handoff', id });
  const decided = decide(before, parts.nowMs());
  if (!decided.ok) return decided;
  assertValidRecord(id, before, decided.value);
  const outcome = await parts.writeWithSlot({ before, decision: decided.value });
  if (outcome === 'stale') return null;
  if (outcome !== 'written') return err(outcome);
  parts.notify(before, decided.value.handoff);
  return ok(decided.value.handoff);
}

/** The parts of `change` that depend on limits. */
export function limitParts(
  limits: Limits,
  { writes, reads }: { readonly writes: Connection; readonly reads: Connection },
): Pick<ChangeParts, 'needsSlot' | 'writeWithSlot'> {
  const writeWithSlot = async (planned: PlannedMove): Promise<'written' | 'stale' | Refusal> => {
    const next = planned.decision.handoff;
    const needs = needsOfMove(limits, planned.before, next);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const written = await move(writes, [planned], { needs });
      if (written.moved.size > 0) return 'written';
      if (written.maybeApplied && (await findOwnFacts(reads, [ownFactOf(planned)])).size > 0) return 'written';
      const session = acquiringSession(planned.before, next);
      if (session !== null && !written.alive.has(session)) return leaseLost(planned.before);
      const missing = uncounted(needs, written.counts);
      if (missing.length === 0) return limitRefusal(limits, [next], written.counts)?.refusal ?? 'stale';
      await beginCounting(writes, missing);
    }
    return 'stale';
  };

  return {
    needsSlot: (before, next) => !hasNoLimits(limits) && needsOfMove(limits, before, next).length > 0,
    writeWithSlot,
  };
}
