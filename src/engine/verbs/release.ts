import type { Result } from '../../foundation/result.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { giveBack } from '../../domain/moves/release.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { change, decideBy, shownFence } from '../change.ts';
import type { Surroundings } from '../surroundings.ts';

/** The holder lets go without having failed: the attempt is not counted, and the handoff keeps its place. */
export async function release(
  around: Surroundings,
  principal: Principal,
  target: HandoffId | Handoff,
  fence: number | null,
): Promise<Result<Handoff, Refusal>> {
  const decide = decideBy(principal, 'release', (handoff, nowMs) => ({
    deed: 'release',
    moved: giveBack(handoff, shownFence(principal, handoff, fence), nowMs),
    detail: { reason: 'given back' },
  }));
  return change(around, target, decide);
}
