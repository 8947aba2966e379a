import { refuse, yes, type Result } from '../../foundation/result.ts';
import type { Decide, Decision } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { takesPlace } from '../../domain/limits.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { assertSound } from '../sound.ts';
import { leaseLost, type LiveSessions } from './live-sessions.ts';
import type { Places } from './places.ts';
import type { Reading } from './reading.ts';
import type { Work } from './shared-commit.ts';
import type { Writing } from './writing.ts';

type Answer = Result<Handoff, Refusal>;

export function changeOf({
  reading,
  writing,
  places,
  sessions,
  nowMs,
}: {
  reading: Reading;
  sessions: LiveSessions;
  writing: Writing;
  places: Places;
  nowMs: () => number;
}): (targets: readonly (HandoffId | Handoff)[], decide: Decide) => Work<readonly Answer[]> {
  return (targets, decide) => () => {
    const now = nowMs();
    const newest = new Map<HandoffId, Handoff>();
    const placed: Handoff[] = [];
    const steps: { readonly before: Handoff; readonly decision: Decision }[] = [];

    const atHand = (target: HandoffId | Handoff): Handoff | null => {
      const id = typeof target === 'string' ? target : target.id;
      const known = newest.get(id);
      if (known !== undefined) return known;
      // A record the caller brings along saves reading it, if it is still the newest; inside the lock that is certain.
      if (typeof target !== 'string' && reading.revisionOf(id) === target.revision) return target;
      return reading.byIds([id])[0] ?? null;
    };

    const answers = targets.map((target): Answer => {
      const before = atHand(target);
      if (before === null) {
        return refuse({ code: 'no-such-handoff', id: typeof target === 'string' ? target : target.id });
      }
      const decided = decide(before, now);
      if (!decided.ok) return decided;
      const { handoff } = decided.value;
      assertSound(before.id, before, decided.value);
      if (!sessions.mayHold(before, handoff)) return refuse(leaseLost(before));
      const full = takesPlace(before) ? null : places.roomFor(handoff, placed);
      if (full !== null) return refuse(full);
      if (!takesPlace(before)) placed.push(handoff);
      newest.set(before.id, handoff);
      steps.push({ before, decision: decided.value });
      return yes(handoff);
    });
    return () => {
      for (const { before, decision } of steps) writing.update(before, decision, now);
      return answers;
    };
  };
}
