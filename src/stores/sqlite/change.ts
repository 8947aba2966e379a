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

/** What insert, claim, change and relay share. */
export interface HandoffParts extends StoreParts {
  readonly names: RowNumbers;
  readonly reading: Queries;
  readonly sessions: LiveSessions;
  readonly writing: RowWriter;
  readonly counters: LimitCounters;
}

export function changeOf(parts: HandoffParts): (targets: readonly Target[], decide: Decide) => Work<readonly Answer[]> {
  const { reading, writing, nowMs } = parts;

  const decideOverNewest = (targets: readonly Target[], decide: Decide, now: number) => {
    const newest = new Map<HandoffId, Handoff>();
    const admitted: Handoff[] = [];
    const steps: { readonly before: Handoff; readonly decision: Decision }[] = [];

    const answers = targets.map((target): Answer => {
      const id = idOf(target);
      const before = newest.get(id) ?? newestRecord(reading, target);
      if (before === null) return err({ code: 'no-such-handoff', id });
      const decided = decideOver(parts, before, decide, admitted, now);
      if (!decided.ok) return decided;
      const { handoff } = decided.value;
      if (!usesCapacity(before)) admitted.push(handoff);
      newest.set(before.id, handoff);
      steps.push({ before, decision: decided.value });
      return ok(handoff);
    });
    return (): readonly Answer[] => {
      for (const { before, decision } of steps) writing.update(before, decision, now);
      return answers;
    };
  };

  /** The given record is nearly always the newest. Then only the guard of the update reads the row. */
  const decideOverGiven = (given: Handoff, decide: Decide, now: number) => {
    const decided = decideOver(parts, given, decide, [], now);
    if (!decided.ok) return decideOverNewest([given], decide, now);
    return (): readonly Answer[] =>
      writing.update(given, decided.value, now)
        ? [ok(decided.value.handoff)]
        : decideOverNewest([given.id], decide, now)();
  };

  return (targets, decide) => () => {
    const [given] = targets;
    return targets.length === 1 && typeof given === 'object'
      ? decideOverGiven(given, decide, nowMs())
      : decideOverNewest(targets, decide, nowMs());
  };
}

/** A given record that is still the newest saves reading the row. The write lock keeps it the newest. */
export function newestRecord(reading: Queries, target: Target): Handoff | null {
  const id = idOf(target);
  if (typeof target !== 'string' && reading.revisionOf(id) === target.revision) return target;
  return reading.byIds([id])[0] ?? null;
}

/** `admitted`: the handoffs of the same call that have taken a slot under a limit. */
export function decideOver(
  { sessions, counters }: HandoffParts,
  before: Handoff,
  decide: Decide,
  admitted: readonly Handoff[],
  nowMs: number,
): Result<Decision, Refusal> {
  const decided = decide(before, nowMs);
  if (!decided.ok) return decided;
  const { handoff } = decided.value;
  assertValidRecord(before.id, before, decided.value);
  if (!sessions.mayHold(before, handoff)) return err(leaseLost(before));
  const isAsked = !usesCapacity(before) && decided.value.overLimits !== true;
  const full = isAsked ? counters.limitRefusal(handoff, admitted) : null;
  return full === null ? decided : err(full);
}
