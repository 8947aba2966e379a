/** Ends a handoff without completion: rejected by its recipient, or cancelled by its sender. */
import { err } from '../../foundation/result.ts';
import type { JsonText } from '../../foundation/json.ts';
import type { Decide } from '../../domain/decision.ts';
import { cancel as cancelled, reject as rejected } from '../../domain/moves/reject-cancel-expire.ts';
import type { HandoffId } from '../../domain/names.ts';
import { isSkillGap } from '../../domain/rejection.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Principal } from '../../domain/principal.ts';
import { change, changeBy, decideBy, type ChangeResult } from '../change.ts';
import type { Context } from '../context.ts';
import { withDependents } from './dependents.ts';

export interface Rejection {
  readonly type: string;
  readonly reason: string;
  /** The fence, if the handoff is accepted. */
  readonly fence?: number | null;
}

export async function reject(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  { type, reason, fence = null }: Rejection,
): ChangeResult {
  const whole = await ctx.store.load(id);
  if (whole === null) return err({ code: 'no-such-handoff', id });
  const outcome = endText('REJECTED', reason, whole.outcome);
  const answer = await changeBy(ctx, principal, id, 'reject', (handoff, nowMs) => {
    const isEscalated = handoff.kind === 'document' && isSkillGap(type);
    return {
      moved: rejected(handoff, fence, nowMs),
      // In the trail, because the configuration may change before it is read.
      detail: { type, reason, ...(isEscalated ? { escalatedTo: ctx.rules.chiefs } : {}) },
      outcome,
    };
  });
  return withDependents(ctx, answer);
}

export async function cancel(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  reason: string | null = null,
): ChangeResult {
  const whole = await ctx.store.load(id);
  if (whole === null) return err({ code: 'no-such-handoff', id });
  return withDependents(ctx, await change(ctx, id, cancelling(principal, reason, whole.outcome)));
}

/** `before`: the current outcome of the handoff. */
export function cancelling(principal: Principal, reason: string | null, before: JsonText | null): Decide {
  const outcome = endText('CANCELLED', reason ?? 'no longer wanted', before);
  return decideBy(principal, 'cancel', (handoff, nowMs) => ({
    moved: cancelled(handoff, nowMs),
    detail: reason === null ? null : { reason },
    outcome,
  }));
}

/** Keeps a delivered result beside the reason. */
function endText(code: string, message: string, before: JsonText | null): JsonText {
  const result = before === null ? undefined : (JSON.parse(before) as Outcome).result;
  const outcome: Outcome = { kind: 'failure', code, message, ...(result === undefined ? {} : { result }) };
  return JSON.stringify(outcome) as JsonText;
}
