import { claimByHand } from '../../../src/engine/handoffs/claim.ts';
import { deliver } from '../../../src/engine/handoffs/deliver.ts';
import { fail } from '../../../src/engine/handoffs/fail.ts';
import { release } from '../../../src/engine/handoffs/release.ts';
import type { Context } from '../../../src/engine/context.ts';
import type { AgentId } from '../../../src/domain/names.ts';
import { agentPrincipal } from '../../../src/domain/principal.ts';
import { StoreFault, type Claimed } from '../../../src/stores/store.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Role, World } from '../world.ts';

const LEASE_MAX_MS = 4_000;

/** Somebody who takes one at a time by hand, and is not always back in time. */
export function handRole(world: World, agent: AgentId): Role {
  const principal = agentPrincipal(agent);
  const once = async (ctx: Context, random: SeededRandom): Promise<void> => {
    const leaseMs = random.between(1_000, LEASE_MAX_MS);
    const claimed = await claimByHand(ctx, principal, agent, leaseMs);
    if (claimed === null) return;
    await ctx.timers.sleep(world.isCalm ? 0 : random.between(0, LEASE_MAX_MS * 1.5));
    if (!world.isCalm && random.chance(0.15)) return;
    await untilAnswered(ctx, () => settle(ctx, random, claimed));
  };
  const settle = async (ctx: Context, random: SeededRandom, { handoff }: Claimed): Promise<void> => {
    const { fence } = handoff;
    const way = world.isCalm ? 0 : random.unit();
    const answer = await (way < 0.6
      ? deliver(ctx, principal, { target: handoff, fence, result: 'by hand' })
      : way < 0.8
        ? fail(ctx, principal, { target: handoff, fence, failure: { code: 'PROCESSING_ERROR', message: 'no' } })
        : release(ctx, principal, handoff, fence));
    if (!answer.ok && answer.refusal.code === 'lease-lost') world.counters.leaseLost += 1;
  };
  return {
    name: `hand of ${agent}`,
    standsDuty: false,
    async run(ctx, _process, random) {
      for (;;) {
        await once(ctx, random).catch(ignoreFault);
        await ctx.timers.sleep(random.between(100, 600));
      }
    },
  };
}

export async function untilAnswered<Answer>(ctx: Context, ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      ignoreFault(error);
      await ctx.timers.sleep(100);
    }
  }
}

/** Faults of the store are part of the story; anything else is a bug. */
export function ignoreFault(error: unknown): void {
  if (!(error instanceof StoreFault)) throw error;
}
