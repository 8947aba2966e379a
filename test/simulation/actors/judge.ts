import { present } from '../../../src/foundation/assert.ts';
import type { Context } from '../../../src/engine/context.ts';
import type { Decide } from '../../../src/domain/decision.ts';
import type { Handoff } from '../../../src/domain/handoff.ts';
import { reject } from '../../../src/domain/moves/reject-cancel-expire.ts';
import { rework, verify } from '../../../src/domain/moves/verify.ts';
import type { AgentId } from '../../../src/domain/names.ts';
import { agentPrincipal } from '../../../src/domain/principal.ts';
import type { Role, World } from '../world.ts';
import { ignoreFault } from './manual-worker.ts';

const PAGE_MAX = 20;

/** Agrees to what was delivered, or does not; and sender and doer, who may not, try it as well. */
export function judgeRole(world: World, agent: AgentId): Role {
  const verifyAs = (who: AgentId): Decide =>
    world.decideBy(agentPrincipal(who), 'verify', (handoff, nowMs) => ({
      deed: 'verify',
      moved: verify(handoff, { checks: [], criteria: handoff.terms.criteria }, nowMs),
    }));
  const reworkIt = world.decideBy(agentPrincipal(agent), 'rework', (handoff, nowMs) => rework(handoff, nowMs));
  const rejectIt = world.decideBy(agentPrincipal(agent), 'reject', (handoff, nowMs) => ({
    deed: 'reject',
    moved: reject(handoff, null, nowMs),
  }));
  const change = async ({ store }: Context, handoff: Handoff, decide: Decide): Promise<void> => {
    const [answer] = await store.change([handoff.id], decide);
    const { ok, ...rest } = present(answer, 'one target, one answer');
    if (!ok && 'refusal' in rest && rest.refusal.code === 'own-work') world.counters.ownWorkRefusals += 1;
  };
  return {
    name: 'judge',
    standsDuty: false,
    async run(ctx, _process, random) {
      const judge = async (handoff: Handoff): Promise<void> => {
        if (random.chance(0.3)) await change(ctx, handoff, verifyAs(random.pick([handoff.from, handoff.to])));
        const way = world.isCalm ? 0 : random.unit();
        // What was delivered by hand would go back into hands that have left.
        if (way < 0.6 || handoff.custody !== null) await change(ctx, handoff, verifyAs(agent));
        else await change(ctx, handoff, way < 0.9 ? reworkIt : rejectIt);
      };
      const round = async (): Promise<void> => {
        const { items } = await ctx.store.find({ by: 'filter', states: ['delivered'], max: PAGE_MAX });
        for (const handoff of items) await judge(handoff);
      };
      for (;;) {
        await round().catch(ignoreFault);
        await ctx.timers.sleep(random.between(300, 900));
      }
    },
  };
}
