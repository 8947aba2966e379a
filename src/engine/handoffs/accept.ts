import { err } from '../../foundation/result.ts';
import { MANUAL_LEASE_MS, manualLeaseUntil, overdueRefusal } from '../../domain/deadlines.ts';
import { accept as accepted } from '../../domain/moves/accept.ts';
import { renew as renewed } from '../../domain/moves/renew.ts';
import type { HandoffId } from '../../domain/names.ts';
import { tokenIn, type Principal } from '../../domain/principal.ts';
import { changeBy, type ChangeResult } from '../change.ts';
import type { Context } from '../context.ts';
import { pausedRefusal } from '../pauses.ts';

/** Accepts this handoff by hand. A document is held without a time limit, all others for `leaseMs`. */
export async function accept(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  { notes, leaseMs = MANUAL_LEASE_MS }: { readonly notes?: string; readonly leaseMs?: number } = {},
): ChangeResult {
  const paused = await pausedRefusal(ctx, principal);
  if (paused !== null) return err(paused);
  const taken = await changeBy(ctx, principal, id, 'accept', (handoff, nowMs) => {
    const untilAt = manualLeaseUntil(handoff.kind, nowMs, leaseMs);
    return {
      moved:
        overdueRefusal(handoff, nowMs) ??
        accepted(handoff, { by: 'hand', holder: handoff.to, untilAt, ...takenAs(principal) }, nowMs),
      detail: notes === undefined ? null : { notes },
    };
  });
  if (!taken.ok || principal.kind === 'file' || ctx.rules.queue === null) return taken;
  const { fence, state } = taken.value;
  if (taken.value.kind !== 'queue' || (await ctx.rules.queue.winRename(principal, taken.value))) return taken;
  return err({ code: 'lease-lost', id, fence, state, newest: fence });
}

/** A program that moves files is known only by its user id, and settles only what that user has accepted. */
function takenAs(principal: Principal): { readonly file?: string; readonly token?: string } {
  if (principal.kind === 'file') return { file: principal.user };
  const token = tokenIn(principal);
  return token === null ? {} : { token };
}

/** Renews the lease of a handoff that is held by hand, from now. */
export async function renew(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  fence: number | null,
  leaseMs: number = MANUAL_LEASE_MS,
): ChangeResult {
  return changeBy(ctx, principal, id, 'renew', (handoff, nowMs) => ({
    moved: renewed(handoff, fence, nowMs + leaseMs, tokenIn(principal)),
  }));
}
