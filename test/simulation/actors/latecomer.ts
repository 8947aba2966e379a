import { assert } from '../../../src/foundation/assert.ts';
import type { Context } from '../../../src/engine/context.ts';
import { deliver } from '../../../src/engine/handoffs/deliver.ts';
import { fail } from '../../../src/engine/handoffs/fail.ts';
import { release } from '../../../src/engine/handoffs/release.ts';
import type { Handoff } from '../../../src/domain/handoff.ts';
import { agentPrincipal } from '../../../src/domain/principal.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Role, World } from '../world.ts';
import { ignoreFault } from './manual-worker.ts';

/** Settles what is settled already, and, with the fence of an earlier acceptance or none, what somebody else holds by now. */
export function latecomerRole(world: World): Role {
  const settle = async (ctx: Context, random: SeededRandom, stale: Handoff, fence: number | null): Promise<void> => {
    const principal = agentPrincipal(stale.to);
    const failure = { code: 'PROCESSING_ERROR', message: 'too late' };
    const answer = await random.pick([
      () => deliver(ctx, principal, { target: stale, fence, result: 'too late' }),
      () => fail(ctx, principal, { target: stale, fence, failure }),
      () => release(ctx, principal, stale, fence),
    ])();
    if (!answer.ok && answer.refusal.code === 'lease-lost') world.counters.staleFences += 1;
    if (fence === null) assert(!answer.ok, 'I6: whoever shows no fence settles nothing that is held with a lease');
  };
  return {
    name: 'latecomer',
    standsDuty: false,
    async run(ctx, _process, random) {
      for (;;) {
        await ctx.timers.sleep(random.between(100, 1_000));
        const accepted = [...world.inspector.ledger.records.values()].filter(({ fence }) => fence > 0);
        if (accepted.length === 0) continue;
        const handoff = random.pick(accepted);
        const fence = random.between(1, handoff.fence) - (handoff.state === 'accepted' ? 1 : 0);
        const stale = { ...handoff, fence };
        await settle(ctx, random, stale, random.chance(0.2) ? null : fence).catch(ignoreFault);
      }
    },
  };
}
