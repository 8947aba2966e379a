import { parseExact } from '../../foundation/exact-json.ts';
import { err, type Result } from '../../foundation/result.ts';
import type { Json } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { retryOf } from '../../domain/lineage.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import { may } from '../../domain/rights.ts';
import type { Context } from '../context.ts';
import { answerDependents } from './dependents.ts';
import { send, type SendRefusal } from './send.ts';

export interface RetryRequest {
  readonly id: HandoffId;
  /** Somebody else, for what the first one could not do. */
  readonly to?: AgentId;
  /** The corrected input; without it, the same once more. */
  readonly input?: Json;
  readonly attemptTimeoutMs?: number;
  readonly requestId?: string;
  readonly waitForCapacity?: boolean;
}

/** Final is final: a new handoff that names the old one. */
export async function retry(
  ctx: Context,
  principal: Principal,
  { id, to, input, attemptTimeoutMs, requestId, waitForCapacity }: RetryRequest,
): Promise<Result<Handoff, SendRefusal>> {
  const whole = await ctx.store.load(id);
  if (whole === null) return err({ code: 'no-such-handoff', id });
  const old = whole.handoff;
  const entitled = may(principal, 'retry', old);
  if (!entitled.ok) return entitled;
  const lineage = retryOf(old);
  if (!lineage.ok) return lineage;
  const body = parseExact(whole.body) as Body;
  const { from, kind, priority, title, task } = old;
  const retried = await send(ctx, principal, {
    from,
    to: to ?? old.to,
    kind,
    priority,
    ...(title === null ? {} : { title }),
    ...(task === null ? {} : { task }),
    ...body,
    ...(input === undefined ? {} : { input }),
    terms: { ...old.terms, ...(attemptTimeoutMs === undefined ? {} : { attemptTimeoutMs }) },
    lineage: lineage.value,
    ...(requestId === undefined ? {} : { requestId }),
    ...(waitForCapacity === undefined ? {} : { waitForCapacity }),
  });
  if (retried.ok) await answerDependents(ctx, retried.value);
  return retried;
}
