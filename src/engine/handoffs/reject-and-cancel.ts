/** The ends that somebody wants: refused, or no longer wanted. */
import { err, type Result } from '../../foundation/result.ts';
import type { Json, JsonText } from '../../foundation/json.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { cancel as cancelled, reject as rejected } from '../../domain/moves/reject-cancel-expire.ts';
import type { HandoffId } from '../../domain/names.ts';
import { isSkillGap } from '../../domain/rejection.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { change, decideBy } from '../change.ts';
import type { Context } from '../context.ts';
import { withDependents } from './dependents.ts';

export interface Rejection {
  readonly type: string;
  readonly reason: string;
  /** Of the acceptance, where it has been accepted. */
  readonly fence?: number | null;
}

export async function reject(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  { type, reason, fence = null }: Rejection,
): Promise<Result<Handoff, Refusal>> {
  const delivered = await deliveredResult(ctx, id);
  if (!delivered.ok) return delivered;
  const outcome = endText('REJECTED', reason, delivered.value);
  const decide = decideBy(principal, 'reject', (handoff, nowMs) => ({
    deed: 'reject',
    moved: rejected(handoff, fence, nowMs),
    // In the trail, because the configuration may name somebody else by the time it is read.
    detail: { type, reason, ...(isEscalated(handoff, type) ? { escalatedTo: ctx.rules.chiefs } : {}) },
    outcome,
  }));
  return withDependents(ctx, await change(ctx, id, decide));
}

function isEscalated({ kind }: Handoff, type: string): boolean {
  return kind === 'document' && isSkillGap(type);
}

export async function cancel(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  reason: string | null = null,
): Promise<Result<Handoff, Refusal>> {
  const whole = await ctx.store.load(id);
  if (whole === null) return err({ code: 'no-such-handoff', id });
  return withDependents(ctx, await change(ctx, id, cancelling(principal, reason, whole.outcome)));
}

/** `left`: the outcome that there is already. */
export function cancelling(principal: Principal, reason: string | null, left: JsonText | null): Decide {
  const outcome = endText('CANCELLED', reason ?? 'no longer wanted', resultIn(left));
  return decideBy(principal, 'cancel', (handoff, nowMs) => ({
    deed: 'cancel',
    moved: cancelled(handoff, nowMs),
    detail: reason === null ? null : { reason },
    outcome,
  }));
}

/** What was delivered is kept beside the reason why it was not wanted. */
async function deliveredResult(
  { store }: Context,
  id: HandoffId,
): Promise<Result<{ readonly result?: Json }, Refusal>> {
  const whole = await store.load(id);
  if (whole === null) return err({ code: 'no-such-handoff', id });
  return { ok: true, value: resultIn(whole.outcome) };
}

function resultIn(text: JsonText | null): { readonly result?: Json } {
  const outcome = text === null ? null : (JSON.parse(text) as Outcome);
  return outcome?.result === undefined ? {} : { result: outcome.result };
}

function endText(code: string, message: string, kept: { readonly result?: Json }): JsonText {
  const outcome: Outcome = { kind: 'failure', code, message, ...kept };
  return JSON.stringify(outcome) as JsonText;
}
