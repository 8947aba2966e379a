/** Repeats work: a retry of an ended handoff, or another recipient or priority for an open one. */
import { defined } from '../../foundation/defined.ts';
import { parseExact } from '../../foundation/exact-json.ts';
import type { Json } from '../../foundation/json.ts';
import { ok, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import { SENDER_FIELDS, type Handoff } from '../../domain/handoff.ts';
import { retryLineage } from '../../domain/lineage.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Priority } from '../../domain/priority.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import type { Context } from '../context.ts';
import { updateDependentsOf } from './dependents.ts';
import { loadFor } from './find.ts';
import { cancelling } from './reject-and-cancel.ts';
import { send, sendInstead, type SendRefusal, type SendRequest } from './send.ts';

export interface RetryRequest {
  readonly id: HandoffId;
  /** Another recipient. */
  readonly to?: AgentId;
  /** The corrected input. Absent: the same input. */
  readonly input?: Json;
  readonly attemptTimeoutMs?: number;
  readonly requestId?: string;
  readonly waitForCapacity?: boolean;
}

/** Sends a new handoff that names the old one. A final state never changes. */
export async function retry(
  ctx: Context,
  principal: Principal,
  { id, to, input, attemptTimeoutMs, requestId, waitForCapacity }: RetryRequest,
): Promise<Result<Handoff, SendRefusal>> {
  const whole = await loadFor(ctx, principal, 'retry', id);
  if (!whole.ok) return whole;
  const again = requestAgain(whole.value);
  if (!again.ok) return again;
  const retried = await send(ctx, principal, {
    ...again.value,
    ...defined({ to, input, requestId, waitForCapacity }),
    terms: { ...again.value.terms, ...defined({ attemptTimeoutMs }) },
  });
  if (retried.ok) await updateDependentsOf(ctx, retried.value);
  return retried;
}

export interface ReassignRequest {
  readonly id: HandoffId;
  readonly to?: AgentId;
  readonly priority?: Priority;
  readonly reason?: string;
}

/** Cancels a handoff and sends another in its place in the chain, both or neither. */
export async function reassign(
  ctx: Context,
  principal: Principal,
  { id, to, priority, reason }: ReassignRequest,
): Promise<Result<Handoff, SendRefusal>> {
  const whole = await loadFor(ctx, principal, 'cancel', id);
  if (!whole.ok) return whole;
  const { handoff, outcome } = whole.value;
  const again = requestAgain(whole.value);
  if (!again.ok) return again;
  const words = [to === undefined ? null : `given to @${to}`, priority === undefined ? null : `priority ${priority}`];
  const why = [words.filter((word) => word !== null).join(', '), ...(reason === undefined ? [] : [reason])].join(': ');
  const request = { ...again.value, ...defined({ to, priority }), draft: handoff.state === 'draft' };
  return sendInstead(ctx, principal, { target: handoff, decide: cancelling(principal, why, outcome) }, request);
}

/** The same work as a request, beside the old handoff in its chain. */
function requestAgain({ handoff, body }: StoredHandoff): Result<SendRequest, Refusal> {
  const { from, to, kind, terms } = handoff;
  const lineage = retryLineage(handoff);
  if (!lineage.ok) return lineage;
  const said = SENDER_FIELDS.flatMap((name) => (handoff[name] === null ? [] : [[name, handoff[name]] as const]));
  return ok({
    from,
    to,
    kind,
    ...Object.fromEntries(said),
    ...(parseExact(body) as Body),
    terms,
    lineage: lineage.value,
  });
}
