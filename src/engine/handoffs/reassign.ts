/** The same work for somebody else, or with another priority: one handoff ends and another begins, both or neither. */
import { parseExact } from '../../foundation/exact-json.ts';
import { defined } from '../../foundation/defined.ts';
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
import { loadFor } from './find.ts';
import { cancelling } from './reject-and-cancel.ts';
import { sendInstead, type SendRefusal, type SendRequest } from './send.ts';

export interface ReassignRequest {
  readonly id: HandoffId;
  readonly to?: AgentId;
  readonly priority?: Priority;
  readonly reason?: string;
}

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
export function requestAgain({ handoff, body }: Whole): Result<SendRequest, Refusal> {
  const { from, to, kind, priority, title, task, terms } = handoff;
  const lineage = retryOf(handoff);
  if (!lineage.ok) return lineage;
  const named = defined({ title: title ?? undefined, task: task ?? undefined });
  return ok({ from, to, kind, priority, ...named, ...(parseExact(body) as Body), terms, lineage: lineage.value });
}
