import { HandlerFailure } from '../../../src/engine/attempt.ts';
import { runDuty } from '../../../src/engine/duty.ts';
import type { Context } from '../../../src/engine/context.ts';
import { work, type Attempt, type Handler } from '../../../src/engine/work.ts';
import type { Timers } from '../../../src/foundation/clock.ts';
import type { Json } from '../../../src/foundation/json.ts';
import type { Handoff } from '../../../src/domain/handoff.ts';
import type { AgentId, HandoffId } from '../../../src/domain/names.ts';
import { StoreFault } from '../../../src/stores/store.ts';
import type { SimulatedProcess } from '../processes.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Role, SimulatedGroup, World } from '../world.ts';

/** A worker process as `baton work` runs it; some also stand by for the duty. */
export function workerRole(world: World, agent: AgentId, standsDuty: boolean): Role {
  return {
    name: `worker of ${agent}`,
    standsDuty,
    async run(ctx, process, random) {
      const leaving = leaveSometime(world, ctx, random);
      if (standsDuty) void runDuty(ctx, leaving.stop);
      let began = false;
      const heartbeat: Context['heartbeat'] = {
        start: async (session, told) => {
          began = true;
          return ctx.heartbeat.start(session, told);
        },
      };
      const handler = handlerOf(world, ctx, process, random);
      const concurrency = random.between(1, 3);
      try {
        await work({ ...ctx, heartbeat }, { agent, handler, concurrency, ...leaving });
      } catch (error) {
        // Who cannot even begin says so and ends; who has begun goes on until told otherwise.
        if (began || !(error instanceof StoreFault)) throw error;
      }
    },
  };
}

export function dutyRole(): Role {
  return {
    name: 'duty',
    standsDuty: true,
    run: (ctx) => runDuty(ctx, new AbortController().signal),
  };
}

const SHIFT_MAX_MS = 30_000;

/** Some workers are told to finish and go, some to drop everything. */
function leaveSometime(world: World, ctx: Context, random: SeededRandom): { stop: AbortSignal; abort: AbortSignal } {
  const stop = new AbortController();
  const abort = new AbortController();
  if (random.chance(0.5)) {
    void ctx.timers.sleep(random.between(500, SHIFT_MAX_MS)).then(() => {
      if (world.isCalm) return;
      if (random.chance(0.5)) abort.abort();
      stop.abort();
    });
  }
  return { stop: stop.signal, abort: abort.signal };
}

/** As long as a program has that is asked to end. */
const POLITE_MS = 1_000;
const WAYS = [
  'quick',
  'long',
  'fails',
  'gives up',
  'never ends',
  'deaf',
  'no answer',
  ...Array<'command'>(7).fill('command'),
] as const;
const KIND_WAYS = ['quick', 'command'] as const;

function handlerOf(world: World, { timers }: Context, process: SimulatedProcess, random: SeededRandom): Handler {
  const command = commandOf(world, timers, process, random);
  return async ({ handoff }, { signal, running }) => {
    world.inspector.onStart(process, handoff);
    const way = random.pick(world.isCalm ? KIND_WAYS : WAYS);
    const result = { by: process.name, attempt: handoff.attempt };
    const { attemptTimeoutMs } = handoff.terms;
    switch (way) {
      case 'quick':
        await timers.sleep(random.between(0, 300), signal);
        return result;
      case 'long':
        await timers.sleep(random.between(world.leaseMs, world.leaseMs * 3), signal);
        return result;
      case 'fails':
        await timers.sleep(random.between(0, 200), signal);
        throw new Error('this attempt fails');
      case 'gives up':
        throw new HandlerFailure(random.pick(['VALIDATION_FAILED', 'NOT_POSSIBLE']), 'this attempt fails with a code');
      case 'never ends':
        await timers.sleep(attemptTimeoutMs === null ? 100 : 600_000, signal);
        return result;
      case 'deaf':
        // It neither hears that time is up nor stops when the handoff is somebody else's.
        await timers.sleep(random.between(100, 8_000));
        return result;
      case 'no answer':
        return Number.NaN;
      case 'command':
        return command(handoff, signal, running);
    }
  };
}

type RunCommand = (handoff: Handoff, signal: AbortSignal, running: Attempt['running']) => Promise<Json>;

/**
 * A program in a group of its own, behind a gate until the group is on record: it outlives a worker that crashes, and
 * takes its time to end when it is asked to.
 */
function commandOf(world: World, timers: Timers, process: SimulatedProcess, random: SeededRandom): RunCommand {
  let groups = process.identity.pid * 1_000;
  return async (handoff, signal, running) => {
    groups += 1;
    const group: SimulatedGroup = { handoff: handoff.id, group: groups, isThroughGate: false };
    world.groups.add(group);
    try {
      await running({ group: group.group, startedAt: '1' });
      if (!world.groups.has(group)) throw new Error('the command was ended at the gate');
      world.inspector.onCommand(handoff, livingGroupOf(world, handoff.id));
      group.isThroughGate = true;
      await timers.sleep(random.between(0, world.isCalm ? 300 : world.leaseMs * 2), signal);
      if (signal.aborted) await timers.sleep(random.between(0, POLITE_MS));
      return 'done';
    } finally {
      world.groups.delete(group);
    }
  };
}

/** Where processes can see each other, a command is ended before anybody else may have its handoff. */
function livingGroupOf(world: World, id: HandoffId): number | null {
  if (!world.livenessKnown) return null;
  return [...world.groups].find(({ handoff, isThroughGate }) => isThroughGate && handoff === id)?.group ?? null;
}
