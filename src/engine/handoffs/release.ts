import type { JsonObject } from '../../foundation/json.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { giveBack } from '../../domain/moves/release.ts';
import type { HandoffId } from '../../domain/names.ts';
import { WEEK_SECONDS } from '../../domain/record-values.ts';
import type { Principal } from '../../domain/principal.ts';
import { changeBy, fenceFor, type ChangeResult } from '../change.ts';
import type { Context } from '../context.ts';

/** Why the holder cannot continue now, and when it can. */
export interface Later {
  readonly inMs: number;
  readonly reason: string;
  readonly detail?: JsonObject;
}

/** The longest delay: even if a vendor names a later time, the handoff is tried again after a week. */
const LATER_MAX_MS = WEEK_SECONDS * 1000;

/** Releases a handoff without a failure: the attempt does not count, and the handoff keeps its rank. */
export async function release(
  ctx: Context,
  principal: Principal,
  target: HandoffId | Handoff,
  fence: number | null,
  later: Later | null = null,
): ChangeResult {
  return changeBy(ctx, principal, target, 'release', (handoff, nowMs) => {
    const notBefore = later === null ? 0 : nowMs + Math.min(Math.max(later.inMs, 0), LATER_MAX_MS);
    return {
      moved: giveBack(handoff, fenceFor(principal, handoff, fence), nowMs, notBefore),
      detail: later === null ? { reason: 'given back' } : { reason: later.reason, ...later.detail },
    };
  });
}
