/** The simulated machine: one store as its disk, processes that come and go, and clocks that somebody sets. */
import type { decideBy } from '../../src/engine/change.ts';
import { DUTY_LEASE_MS } from '../../src/engine/duty.ts';
import { NO_RULES, type EngineEvent, type Heartbeat, type Liveness, type Context } from '../../src/engine/context.ts';
import { dueAtOf } from '../../src/domain/deadlines.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import type { ProcessIdentity } from '../../src/stores/store.ts';
import type { Counters } from './counters.ts';
import type { Faults } from './faults.ts';
import type { Inspector } from './inspector.ts';
import { startProcess, type SimulatedProcess } from './processes.ts';
import type { Scheduler, Strand } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Trace } from './trace.ts';
import { yieldingStore, type Passage } from './yielding-store.ts';

export interface World {
  readonly random: SeededRandom;
  readonly trace: Trace;
  readonly scheduler: Scheduler;
  readonly counters: Counters;
  readonly inspector: Inspector;
  readonly faults: Faults;
  readonly passage: Passage;
  readonly leaseMs: number;
  /** False: processes cannot see each other, and only silence tells. */
  readonly livenessKnown: boolean;
  readonly decideBy: typeof decideBy;
  readonly misjudge: (truth: 'alive' | 'gone' | 'unknown') => 'alive' | 'gone' | 'unknown';
  readonly processes: SimulatedProcess[];
  readonly groups: Set<SimulatedGroup>;
  isCalm: boolean;
}

/** A command of a worker; what stands at the gate has done nothing yet and ends with its worker. */
export interface SimulatedGroup {
  readonly handoff: HandoffId;
  readonly group: number;
  isThroughGate: boolean;
}

/** What a process is for. It outlives the process: when one is over, another one begins in its place. */
export interface Role {
  readonly name: string;
  readonly standsDuty: boolean;
  run(ctx: Context, process: SimulatedProcess, random: SeededRandom): Promise<void>;
}

/** The machine itself: nothing happens to it. */
export const MACHINE: Strand = { name: 'the machine', mayRun: () => 'now' };

const RESTART_MAX_MS = 3_000;

export function keepRunning(world: World, role: Role): void {
  const { scheduler, trace, inspector } = world;
  const number = world.processes.length + 1;
  const random = world.random.fork();
  const process = startProcess({
    name: `${role.name}#${number}`,
    identity: identityOf(world, number, random),
    standsDuty: role.standsDuty,
    scheduler,
    trace,
    onOver: () => {
      const pauseMs = random.between(50, RESTART_MAX_MS);
      void scheduler
        .timersOf(MACHINE)
        .sleep(pauseMs)
        .then(() => keepRunning(world, role));
    },
  });
  world.processes.push(process);
  role.run(surroundingsOf(world, process, random), process, random).then(
    () => process.end('ends'),
    (error: unknown) => {
      inspector.complain('nothing throws', `${process.name}: ${error instanceof Error ? error.stack : String(error)}`);
    },
  );
}

function identityOf(world: World, number: number, random: SeededRandom): ProcessIdentity {
  const host = world.livenessKnown ? 'host-1' : random.pick(['host-1', 'host-2']);
  const pidSpace = world.livenessKnown ? 'space' : `space-${number}`;
  return { host, machine: host, boot: 'this boot', pidSpace, pid: 1_000 + number, startedAt: String(number) };
}

function surroundingsOf(world: World, process: SimulatedProcess, random: SeededRandom): Context {
  const { scheduler, passage, counters } = world;
  return {
    store: yieldingStore(passage, process, process.main),
    clock: scheduler.clock,
    timers: scheduler.timersOf(process.main),
    random,
    liveness: livenessOf(world, process),
    heartbeat: heartbeatOf(world, process),
    leaseMs: world.leaseMs,
    rules: NO_RULES,
    report: (event) => {
      count(event, counters);
      world.trace.note(scheduler.clock.monotonicMs(), process.name, `reports ${event.kind}`);
    },
  };
}

function livenessOf(world: World, self: SimulatedProcess): Liveness {
  const truthOf = (other: ProcessIdentity): 'alive' | 'gone' | 'unknown' => {
    if (other.pidSpace !== self.identity.pidSpace) return 'unknown';
    const process = world.processes.find(({ identity }) => identity.pid === other.pid);
    return process === undefined || process.isOver() ? 'gone' : 'alive';
  };
  return {
    self: self.identity,
    of: (other) => world.misjudge(truthOf(other)),
    isStopped: (other) =>
      truthOf(other) === 'alive' &&
      world.processes.some(({ identity, isStopped }) => identity.pid === other.pid && isStopped()),
    endGroup: async (group) => {
      await world.scheduler.turn(self.main, `ends group ${group.group}`);
      for (const running of world.groups) {
        if (running.group !== group.group) continue;
        world.groups.delete(running);
        world.counters.groupsEnded += 1;
      }
    },
  };
}

const BEATS_PER_LEASE = 5;

/** As the real thread does it, on the strand that a busy event loop does not hold up. */
function heartbeatOf(world: World, process: SimulatedProcess): Heartbeat {
  const store = yieldingStore(world.passage, process, process.heart);
  const timers = world.scheduler.timersOf(process.heart);
  const everyMs = world.leaseMs / BEATS_PER_LEASE;
  return {
    start: async (session, { lost }) => {
      const stopped = new AbortController();
      const beat = async (): Promise<void> => {
        while (!stopped.signal.aborted) {
          const lives = await store.sessions.beat(session).catch(() => null);
          if (lives === false) {
            await world.scheduler.turn(process.main, 'hears that its session is lost');
            if (!stopped.signal.aborted) lost();
            return;
          }
          await timers.sleep(lives === null ? everyMs / 10 : everyMs, stopped.signal);
        }
      };
      void beat();
      return { stop: async () => stopped.abort() };
    },
  };
}

function count(event: EngineEvent, counters: Counters): void {
  if (event.kind === 'session-lost') counters.sessionsLost += 1;
  if (event.kind === 'handoff-recovered') counters.recovered += 1;
  if (event.kind === 'result-refused' && event.refusal.code === 'lease-lost') counters.leaseLost += 1;
}

const LOOK_MS = 500;
const SILENCE_GRACE_MS = 500;
/** For a few sweeps, some of which fail or are slow. */
const SWEEPS_MS = 4_000;

/** Looks again and again whether the dead still hold something that somebody could have taken from them. */
export async function inspectTheDead(world: World): Promise<void> {
  const timers = world.scheduler.timersOf(MACHINE);
  const patienceMs = world.leaseMs + SILENCE_GRACE_MS + DUTY_LEASE_MS + SWEEPS_MS;
  for (;;) {
    await timers.sleep(LOOK_MS);
    const watchers = world.processes.filter((process) => process.standsDuty);
    if (!watchers.some((process) => !process.isDisturbed())) continue;
    const watchedSinceMs = Math.max(...watchers.map((each) => Math.max(each.disturbedAtMs(), each.overAtMs() ?? 0)));
    world.inspector.onLook(world.scheduler.clock.monotonicMs(), watchedSinceMs, patienceMs);
  }
}

const JUMP_MIN_MS = 10_000;
const JUMP_MAX_MS = 24 * 60 * 60_000;

function jump(world: World, wishedMs: number): void {
  const { scheduler, trace, counters, inspector } = world;
  const { jumps } = inspector.ledger;
  // Two that cancel each other out while a process is stopped leave nothing that it could see.
  let byMs = wishedMs;
  const seemsNone = (_: unknown, index: number): boolean =>
    Math.abs(jumps.slice(index).reduce((sum, each) => sum + each.byMs, byMs)) < JUMP_MIN_MS;
  while (jumps.some(seemsNone)) byMs += Math.sign(wishedMs) * JUMP_MIN_MS;
  trace.note(scheduler.clock.monotonicMs(), MACHINE.name, `the wall clock is set by ${byMs} ms`);
  counters.clockJumps += 1;
  scheduler.setWallClock(byMs);
  jumps.push({ atMs: scheduler.clock.monotonicMs(), byMs });
}

export async function setClocks(world: World, times: number, withinMs: number): Promise<void> {
  const random = world.random.fork();
  for (let nth = 0; nth < times; nth += 1) {
    await world.scheduler.timersOf(MACHINE).sleep(random.between(1, withinMs / times));
    const byMs = random.between(JUMP_MIN_MS, random.pick([60_000, JUMP_MAX_MS]));
    jump(world, random.chance(0.5) ? byMs : -byMs);
  }
}

/** Everything that runs is gone at once; only the store is left. */
export async function cutPower(world: World, withinMs: number): Promise<void> {
  await world.scheduler.timersOf(MACHINE).sleep(world.random.fork().between(1, withinMs));
  world.counters.powerCuts += 1;
  for (const process of world.processes) process.end('crashes');
  world.groups.clear();
}

/** What waits for an instant that clocks set back have moved far away gets it, or no story would end. */
export async function bringTomorrow(world: World): Promise<void> {
  for (;;) {
    const nowMs = world.scheduler.clock.nowMs();
    const waits = [...world.inspector.ledger.records.values()].map((handoff) => awaitedBy(handoff) - nowMs);
    const longestMs = Math.max(0, ...waits);
    if (longestMs > JUMP_MIN_MS) jump(world, longestMs);
    await world.scheduler.timersOf(MACHINE).sleep(JUMP_MIN_MS);
  }
}

function awaitedBy(handoff: Handoff): number {
  if (handoff.state === 'offered') return handoff.notBefore;
  const isWorkedOn = handoff.state === 'accepted' && handoff.custody?.by === 'process';
  return isWorkedOn ? 0 : (dueAtOf(handoff) ?? 0);
}
