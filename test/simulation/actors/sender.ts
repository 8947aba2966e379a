import type { Context } from '../../../src/engine/context.ts';
import { send, type SendRequest } from '../../../src/engine/handoffs/send.ts';
import { wait } from '../../../src/engine/handoffs/wait.ts';
import { cancel } from '../../../src/domain/moves/reject-cancel-expire.ts';
import type { HandoffId } from '../../../src/domain/names.ts';
import { agentPrincipal } from '../../../src/domain/principal.ts';
import type { SimulatedProcess } from '../processes.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Role, World } from '../world.ts';
import { ignoreFault, untilAnswered } from './manual-worker.ts';

/** One thing a sender wants, remembered outside its process: whoever crashed asks again with the same request id. */
export interface Errand {
  readonly key: string;
  readonly request: SendRequest;
  readonly waits: boolean;
  readonly cancels: boolean;
  id: HandoffId | null;
  isOver: boolean;
}

export function senderRole(world: World, name: string, errands: readonly Errand[]): Role {
  return {
    name: `sender ${name}`,
    standsDuty: false,
    async run(ctx, process, random) {
      for (const errand of errands) {
        if (errand.id === null) {
          await ctx.timers.sleep(random.between(0, 1_200));
          await sendOnce(world, ctx, random, errand);
        }
        if (!errand.isOver) void follow(world, ctx, process, random, errand).catch(complain(world));
      }
      // Those who wait go on waiting.
      await new Promise<never>(() => undefined);
    },
  };
}

async function sendOnce(world: World, ctx: Context, random: SeededRandom, errand: Errand): Promise<void> {
  const { request } = errand;
  const principal = agentPrincipal(request.from);
  let times = 0;
  for (;;) {
    const answer = await untilAnswered(ctx, async () => {
      times += 1;
      if (times > 1) world.counters.repeatedSends += 1;
      return send(ctx, principal, { ...request, requestId: errand.key });
    });
    if (answer.ok) {
      errand.id = answer.value.id;
      world.counters.sent += 1;
      break;
    }
    if (answer.refusal.code !== 'limit-reached') throw new Error(`send was refused: ${answer.refusal.code}`);
    world.counters.limitRefusals += 1;
    await ctx.timers.sleep(random.between(200, 1_500));
  }
  if (random.chance(0.2)) {
    world.counters.repeatedSends += 1;
    await send(ctx, principal, { ...request, requestId: errand.key }).catch(ignoreFault);
  }
  if (random.chance(0.1)) {
    const other = await untilAnswered(ctx, () =>
      send(ctx, principal, { ...request, input: 'something else', requestId: errand.key }),
    );
    if (!other.ok && other.refusal.code === 'request-reused') world.counters.reusedRequests += 1;
    else world.inspector.complain('I5', `request ${errand.key} was used for two different things`);
  }
}

async function follow(
  world: World,
  ctx: Context,
  process: SimulatedProcess,
  random: SeededRandom,
  errand: Errand,
): Promise<void> {
  const { id, request } = errand;
  if (id === null) return;
  if (errand.cancels) {
    await ctx.timers.sleep(random.between(0, 4_000));
    const decide = world.decideBy(agentPrincipal(request.from), 'cancel', (handoff, nowMs) => ({
      deed: 'cancel',
      moved: cancel(handoff, nowMs),
    }));
    await ctx.store.change([id], decide).catch(ignoreFault);
  }
  while (errand.waits && !errand.isOver) {
    errand.isOver = await untilAnswered(ctx, () => waitOnce(world, ctx, process, random, id, request));
  }
  errand.isOver = true;
}

/** True: it is settled. */
async function waitOnce(
  world: World,
  ctx: Context,
  process: SimulatedProcess,
  random: SeededRandom,
  id: HandoffId,
  request: SendRequest,
): Promise<boolean> {
  const timeoutMs = random.between(500, 6_000);
  const beganMs = ctx.clock.monotonicMs();
  const delayedMs = process.delayedMs();
  const answer = await wait(ctx, agentPrincipal(request.from), id, { timeoutMs });
  world.inspector.onWaited({
    id,
    beganMs,
    endedMs: ctx.clock.monotonicMs(),
    timeoutMs,
    delayedMs: process.delayedMs() - delayedMs,
  });
  if (answer.ok) {
    world.counters.waitsAnswered += 1;
    return true;
  }
  if (answer.refusal.code !== 'timed-out') throw new Error(`wait was refused: ${answer.refusal.code}`);
  world.counters.waitsTimedOut += 1;
  return false;
}

function complain(world: World): (error: unknown) => void {
  return (error) =>
    world.inspector.complain('nothing throws', error instanceof Error ? (error.stack ?? '') : String(error));
}
