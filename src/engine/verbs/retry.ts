import { refuse, type Result } from '../../foundation/result.ts';
import type { Json } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { retryOf } from '../../domain/lineage.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import { may } from '../../domain/rights.ts';
import type { Surroundings } from '../surroundings.ts';
import { send, type SendRefusal } from './send.ts';

export interface RetryRequest {
  readonly id: HandoffId;
  /** Somebody else, for what the first one could not do. */
  readonly to?: AgentId;
  /** The corrected input; without it, the same once more. */
  readonly input?: Json;
  readonly attemptTimeoutMs?: number;
  readonly requestId?: string;
  readonly queue?: boolean;
}

/** Final is final: a new handoff that names the old one. */
export async function retry(
  around: Surroundings,
  principal: Principal,
  { id, to, input, attemptTimeoutMs, requestId, queue }: RetryRequest,
): Promise<Result<Handoff, SendRefusal>> {
  const whole = await around.store.load(id);
  if (whole === null) return refuse({ code: 'no-such-handoff', id });
  const old = whole.handoff;
  const entitled = may(principal, 'retry', old);
  if (!entitled.ok) return entitled;
  const lineage = retryOf(old);
  if (!lineage.ok) return lineage;
  const body = JSON.parse(whole.body) as Body;
  const { from, kind, priority, title, task } = old;
  return send(around, principal, {
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
    ...(queue === undefined ? {} : { queue }),
  });
}
