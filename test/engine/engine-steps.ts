import type { JsonObject } from '../../src/foundation/json.ts';
import type { AgentId, HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import type { Context } from '../../src/engine/context.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { fail } from '../../src/engine/handoffs/fail.ts';

/** Takes a handoff by hand and ends it, one way or the other. */
export function acceptBy(
  ctx: Context,
  agent: AgentId,
): {
  fails(id: HandoffId): Promise<void>;
  completes(id: HandoffId, result?: JsonObject): Promise<void>;
} {
  const principal = agentPrincipal(agent);
  const taken = async (id: HandoffId): Promise<number> => {
    const accepted = await accept(ctx, principal, id, {});
    if (!accepted.ok) throw new Error(JSON.stringify(accepted.refusal));
    return accepted.value.fence;
  };
  return {
    fails: async (id) => {
      const fence = await taken(id);
      const failure = { code: 'PROCESSING_ERROR', message: 'it broke' };
      const failed = await fail(ctx, principal, { target: id, fence, failure, retriesMax: 0 });
      if (!failed.ok) throw new Error(JSON.stringify(failed.refusal));
    },
    completes: async (id, result = { done: true }) => {
      const fence = await taken(id);
      const delivered = await deliver(ctx, principal, { target: id, fence, result, evidence: [] });
      if (!delivered.ok) throw new Error(JSON.stringify(delivered.refusal));
    },
  };
}
