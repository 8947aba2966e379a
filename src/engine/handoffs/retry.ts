import { defined } from '../../foundation/defined.ts';
import type { Result } from '../../foundation/result.ts';
import type { Json } from '../../foundation/json.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Context } from '../context.ts';
import { answerDependents } from './dependents.ts';
import { loadFor } from './find.ts';
import { requestAgain } from './reassign.ts';
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
