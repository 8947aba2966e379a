/** The same work once more: a retry of what has ended, or another recipient or priority for what is open. */
import { defined } from '../../foundation/defined.ts';
import { parseExact } from '../../foundation/exact-json.ts';
import type { Json } from '../../foundation/json.ts';
import { ok, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { retryOf } from '../../domain/lineage.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Priority } from '../../domain/priority.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Whole } from '../../stores/store.ts';
import type { Context } from '../context.ts';
import { answerDependents } from './dependents.ts';
import { loadFor } from './find.ts';
import { cancelling } from './reject-and-cancel.ts';
import { send, sendInstead, type SendRefusal, type SendRequest } from './send.ts';

export interface RetryRequest {
  readonly id: HandoffId;
  /** Another recipient. */
  readonly to?: AgentId;
  /** The corrected input; without it, the same once more. */
  readonly input?: Json;
  readonly attemptTimeoutMs?: number;
  readonly requestId?: string;
  readonly waitForCapacity?: boolean;
}

/** A final state stays final: a retry is a new handoff that names the old one. */
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
  if (retried.ok) await answerDependents(ctx, retried.value);
  return retried;
}

export interface ReassignRequest {
  readonly id: HandoffId;
  readonly to?: AgentId;
  readonly priority?: Priority;
  readonly reason?: string;
}

/** One handoff is cancelled and another takes its place in the chain, both or neither. */
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

/** The same work once more, as a request that stands beside the old handoff in its chain. */
function requestAgain({ handoff, body }: Whole): Result<SendRequest, Refusal> {
  const { from, to, kind, priority, title, task, terms } = handoff;
  const lineage = retryOf(handoff);
  if (!lineage.ok) return lineage;
  const named = defined({ title: title ?? undefined, task: task ?? undefined });
  return ok({ from, to, kind, priority, ...named, ...(parseExact(body) as Body), terms, lineage: lineage.value });
}
