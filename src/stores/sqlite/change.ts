import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide, Decision } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { usesCapacity } from '../../domain/limits.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { leaseLost } from '../custody.ts';
import { idOf, type Target } from '../store.ts';
import { assertValidRecord } from '../valid-record.ts';
import type { LiveSessions } from './live-sessions.ts';
import type { LimitCounters } from './limits.ts';
import type { Queries } from './queries.ts';
import type { RowNumbers } from './row-numbers.ts';
import type { Work } from './shared-commit.ts';
import type { StoreParts } from './store-parts.ts';
import type { RowWriter } from './write-rows.ts';

type Answer = Result<Handoff, Refusal>;

/** What the operations on handoffs share. */
export interface HandoffParts extends StoreParts {
  readonly names: RowNumbers;
  readonly reading: Queries;
  readonly sessions: LiveSessions;
  readonly writing: RowWriter;
  readonly places: LimitCounters;
}

export function changeOf(parts: HandoffParts): (targets: readonly Target[], decide: Decide) => Work<readonly Answer[]> {
  const { reading, writing, nowMs } = parts;

  const overNewest = (targets: readonly Target[], decide: Decide, now: number) => {
    const newest = new Map<HandoffId, Handoff>();
    const placed: Handoff[] = [];
    const steps: { readonly before: Handoff; readonly decision: Decision }[] = [];

    const answers = targets.map((target): Answer => {
      const id = idOf(target);
      const before = newest.get(id) ?? atHand(reading, target);
      if (before === null) return err({ code: 'no-such-handoff', id });
      const decided = decideOver(parts, before, decide, placed, now);
      if (!decided.ok) return decided;
      const { handoff } = decided.value;
      if (!usesCapacity(before)) placed.push(handoff);
      newest.set(before.id, handoff);
      steps.push({ before, decision: decided.value });
      return ok(handoff);
    });
    return (): readonly Answer[] => {
      for (const { before, decision } of steps) writing.update(before, decision, now);
      return answers;
    };
  };

  /** The given record is nearly always the newest: then the guard of the write is the only look at the row. */
  const overGiven = (given: Handoff, decide: Decide, now: number) => {
    const decided = decideOver(parts, given, decide, [], now);
    if (!decided.ok) return overNewest([given], decide, now);
    return (): readonly Answer[] =>
      writing.update(given, decided.value, now) ? [ok(decided.value.handoff)] : overNewest([given.id], decide, now)();
  };

  return (targets, decide) => () => {
    const [given] = targets;
    return targets.length === 1 && typeof given === 'object'
      ? overGiven(given, decide, nowMs())
      : overNewest(targets, decide, nowMs());
  };
}

/** A given record saves reading the row, if it is still the newest; inside the write lock that is certain. */
export function atHand(reading: Queries, target: Target): Handoff | null {
  const id = idOf(target);
  if (typeof target !== 'string' && reading.revisionOf(id) === target.revision) return target;
  return reading.byIds([id])[0] ?? null;
}

/** `placed` are the handoffs that have taken a place in the same call. */
export function decideOver(
  { sessions, places }: HandoffParts,
  before: Handoff,
  decide: Decide,
  placed: readonly Handoff[],
  nowMs: number,
): Result<Decision, Refusal> {
  const decided = decide(before, nowMs);
  if (!decided.ok) return decided;
  const { handoff } = decided.value;
  assertValidRecord(before.id, before, decided.value);
  if (!sessions.mayHold(before, handoff)) return err(leaseLost(before));
  const isAsked = !usesCapacity(before) && decided.value.overLimits !== true;
  const full = isAsked ? places.roomFor(handoff, placed) : null;
  return full === null ? decided : err(full);
}
