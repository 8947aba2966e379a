/** The same work for somebody else, or with another priority: one handoff ends and another begins, both or neither. */
import { parseExact } from '../../foundation/exact-json.ts';
import { err, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { retryOf } from '../../domain/lineage.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Priority } from '../../domain/priority.ts';
import { may } from '../../domain/rights.ts';
import type { Context } from '../context.ts';
import { cancelling } from './reject-and-cancel.ts';
import { sendInstead, type SendRefusal } from './send.ts';

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
  const whole = await ctx.store.load(id);
  if (whole === null) return err({ code: 'no-such-handoff', id });
  const old = whole.handoff;
  const entitled = may(principal, 'cancel', old);
  if (!entitled.ok) return entitled;
  const lineage = retryOf(old);
  if (!lineage.ok) return lineage;
  const { from, kind, title, task, terms } = old;
  const words = [to === undefined ? null : `given to @${to}`, priority === undefined ? null : `priority ${priority}`];
  const why = [words.filter((word) => word !== null).join(', '), ...(reason === undefined ? [] : [reason])].join(': ');
  const request = {
    from,
    to: to ?? old.to,
    kind,
    priority: priority ?? old.priority,
    ...(title === null ? {} : { title }),
    ...(task === null ? {} : { task }),
    ...(parseExact(whole.body) as Body),
    terms,
    draft: old.state === 'draft',
    lineage: lineage.value,
  };
  return sendInstead(ctx, principal, { target: old, decide: cancelling(principal, why, whole.outcome) }, request);
}
