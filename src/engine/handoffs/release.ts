import type { JsonObject } from '../../foundation/json.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { giveBack } from '../../domain/moves/release.ts';
import type { HandoffId } from '../../domain/names.ts';
import { WEEK_SECONDS } from '../../domain/record-values.ts';
import type { Principal } from '../../domain/principal.ts';
import { changeBy, fenceFor, type ChangeResult } from '../change.ts';
import type { Context } from '../context.ts';

/** Why the holder cannot go on now, and after how long it can. */
export interface Later {
  readonly inMs: number;
  readonly reason: string;
  readonly detail?: JsonObject;
}

/** A vendor that names a later time is not believed: the handoff is tried again after a week. */
const LATER_MAX_MS = WEEK_SECONDS * 1000;

/** The holder lets go without having failed: the attempt is not counted, and the handoff keeps its place. */
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
