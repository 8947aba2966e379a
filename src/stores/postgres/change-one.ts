/** Changes that need a place under a limit: rare, so one record at a time, with the counters of its agents locked. */
import { err, ok } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import { hasNoLimits, type Limits } from '../../domain/limits.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { leaseLost } from '../custody.ts';
import { assertValidRecord } from '../valid-record.ts';
import { idOf, ROUNDS_MAX, type Target } from '../store.ts';
import type { Answer, ChangeParts } from './change.ts';
import type { Connection } from './connection.ts';
import { records, traces } from './load.ts';
import { beginCounting, fullPlace, uncounted } from './limits.ts';
import { joins, needsOfMove, traceOf, move, type Piece } from './write-moves.ts';

export async function changeAlone(
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

/** Null: the record has moved on meanwhile. */
async function changeOne(parts: ChangeParts, target: Target, decide: Decide): Promise<Answer | null> {
  const id = idOf(target);
  const before = (await records(parts.reads, [id])).get(id);
  if (before === undefined) return err({ code: 'no-such-handoff', id });
  const decided = decide(before, parts.nowMs());
  if (!decided.ok) return decided;
  assertValidRecord(id, before, decided.value);
  const fate = await parts.writeWithPlace({ before, decision: decided.value });
  if (fate === 'overtaken') return null;
  if (fate !== 'written') return err(fate);
  parts.tell(before, decided.value.handoff);
  return ok(decided.value.handoff);
}

/** What a change needs to know of limits. */
export function placeParts(
  limits: Limits,
  { writes, reads }: { readonly writes: Connection; readonly reads: Connection },
): Pick<ChangeParts, 'needsPlace' | 'writeWithPlace'> {
  const writeWithPlace = async (piece: Piece): Promise<'written' | 'overtaken' | Refusal> => {
    const next = piece.decision.handoff;
    const needs = needsOfMove(limits, piece.before, next);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const written = await move(writes, [piece], { needs });
      if (written.moved.size > 0) return 'written';
      if (written.doubtful && (await traces(reads, [traceOf(piece)])).size > 0) return 'written';
      const session = joins(piece.before, next);
      if (session !== null && !written.alive.has(session)) return leaseLost(piece.before);
      const missing = uncounted(needs, written.counts);
      if (missing.length === 0) return fullPlace(limits, [next], written.counts)?.refusal ?? 'overtaken';
      await beginCounting(writes, missing);
    }
    return 'overtaken';
  };

  return {
    needsPlace: (before, next) => !hasNoLimits(limits) && needsOfMove(limits, before, next).length > 0,
    writeWithPlace,
  };
}
