/** Which of a task's documents speaks for it, and what it says. */
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { wantsSkill } from '../../domain/rejection.ts';
import { STANDING_FOR, WANTS_SKILL, type TaskStanding } from '../../formats/task/vocabulary.ts';

/**
 * The newest that is open and known to its recipient, else the newest that is settled: a replacement speaks as soon as
 * it is on offer, and the old one is silent from then on.
 */
export function speakerAmong(handoffs: readonly Handoff[]): Handoff | null {
  const heard = handoffs.filter(({ kind, state, blockedOn }) => {
    return kind === 'document' && STANDING_FOR[state] !== null && blockedOn?.reason !== 'place';
  });
  const open = heard.filter(({ state }) => !isFinal(state));
  return newestOf(open) ?? newestOf(heard);
}

function newestOf(handoffs: readonly Handoff[]): Handoff | null {
  const [first] = handoffs.toSorted((a, b) => b.since - a.since || b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  return first ?? null;
}

/** Null leaves the task as it is. `last` is the newest fact of that handoff. */
export function standingOf({ state }: Handoff, last: Fact | null): TaskStanding | null {
  if (state === 'rejected' && last !== null && wantsSkill(last)) return WANTS_SKILL;
  // Nobody was ever told of it.
  if (state === 'cancelled' && last?.from === 'draft') return null;
  return STANDING_FOR[state];
}
