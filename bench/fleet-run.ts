/** Producers and workers of one contestant on one database: what they do, how fast, and what it costs the server. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Contestant } from './contestants/contestant.ts';
import type { FleetBench } from './fleet.ts';
import { machineTime } from './processor-time.ts';
import { startRole, type Role } from './roles.ts';

export interface Fleet {
  addWorkers(count: number): Promise<void>;
  /** All producers together send as many, each with so many callers; comes back when all of them are finished. */
  lives(callers: number, count: number): Promise<{ readonly seconds: number }>;
  /** All producers together send this many a second. */
  evenly(perSecond: number, count: number): Promise<void>;
  /** Processor time so far. */
  usedMs(): Promise<{ readonly server: number; readonly workers: number; readonly producers: number }>;
  /** From the call of `send` to the start of the handler, of everything since the last call of this. */
  delays(): Promise<readonly number[]>;
  stop(): Promise<void>;
}

export interface FleetSize {
  readonly producers: number;
  readonly workers: number;
  readonly concurrency: number;
  /** How long each handler takes; absent: no time. */
  readonly handlerMs?: number;
}

export async function startFleet(
  { serverMs }: FleetBench,
  contestant: Contestant,
  url: string,
  size: FleetSize,
  workerUrl: string = url,
): Promise<Fleet> {
  const env = {
    BATON_BENCH_TELLS: '1',
    NO_LOG_SUCCESS: '1',
    ...(size.handlerMs === undefined ? {} : { BATON_BENCH_HANDLER_MS: String(size.handlerMs) }),
  };
  const { concurrency } = size;
  const workers: Role[] = [];
  const addWorkers = async (count: number): Promise<void> => {
    workers.push(...(await startAll(count, () => startRole('worker', contestant, workerUrl, { concurrency, env }))));
  };
  await addWorkers(size.workers);
  const producers = await startAll(size.producers, () => startRole('producer', contestant, url));
  let expected = 0;
  const finished = async (count: number): Promise<void> => {
    expected += count;
    while (startedBy(workers) < expected) await pause(2);
    await producers[0]?.ask({ do: 'drained' });
  };
  const share = (count: number, at: number): number =>
    Math.floor(((at + 1) * count) / producers.length) - Math.floor((at * count) / producers.length);
  return {
    addWorkers,
    lives: async (callers, count) => {
      const beganMs = performance.now();
      await Promise.all(
        producers.map((each, at) => each.ask({ do: 'send', concurrency: callers, count: share(count, at) })),
      );
      await finished(count);
      return { seconds: (performance.now() - beganMs) / 1000 };
    },
    evenly: async (perSecond, count) => {
      const everyMs = (1000 * producers.length) / perSecond;
      await Promise.all(producers.map((each, at) => each.ask({ do: 'send evenly', everyMs, count: share(count, at) })));
      await finished(count);
    },
    usedMs: async () => ({ server: serverMs(), workers: await usedBy(workers), producers: await usedBy(producers) }),
    delays: async () => {
      const looks = await Promise.all(workers.map((each) => each.ask({ do: 'look' })));
      return looks.flatMap(({ delays = [] }) => delays);
    },
    stop: async () => {
      await Promise.all([...producers, ...workers].map((each) => each.stop()));
    },
  };
}

async function startAll(count: number, start: () => Promise<Role>): Promise<readonly Role[]> {
  return Promise.all(Array.from({ length: count }, start));
}

async function usedBy(roles: readonly Role[]): Promise<number> {
  const looks = await Promise.all(roles.map((each) => each.ask({ do: 'used' })));
  return looks.reduce((sum, { cpuMs = 0 }) => sum + cpuMs, 0);
}

export function startedBy(workers: readonly Role[]): number {
  return workers.reduce((sum, each) => sum + each.started(), 0);
}

/** Of fewer than these one would measure the code that is not compiled yet, and whatever a process does beside its work. */
export const FEWEST = 300;

export interface Measured {
  readonly rate: number;
  readonly count: number;
  readonly seconds: number;
  /** Processor time per life. */
  readonly serverUs: number;
  readonly workerUs: number;
  readonly producerUs: number;
  /** Of all cores of the machine, the part that had something to do. */
  readonly busy: number;
}

/**
 * Warms up for about `seconds`, then measures as many as fit into `seconds` at the rate of the warm-up. Fleets run for days; V8
 * compiles for the first seconds, and longer for those with more code.
 */
export async function rateOf(fleet: Fleet, callers: number, seconds: number): Promise<Measured> {
  const cold = await fleet.lives(callers, FEWEST);
  const warmUp = Math.max(FEWEST, Math.ceil((FEWEST / cold.seconds) * seconds));
  const warm = await fleet.lives(callers, warmUp);
  await fleet.delays();
  return measureLives(fleet, callers, Math.max(FEWEST, Math.ceil((warmUp / warm.seconds) * seconds)));
}

export async function measureLives(fleet: Fleet, callers: number, count: number): Promise<Measured> {
  const [usedBefore, machineBefore] = [await fleet.usedMs(), machineTime()];
  const { seconds } = await fleet.lives(callers, count);
  const [used, machine] = [await fleet.usedMs(), machineTime()];
  return {
    rate: count / seconds,
    count,
    seconds,
    serverUs: ((used.server - usedBefore.server) * 1000) / count,
    workerUs: ((used.workers - usedBefore.workers) * 1000) / count,
    producerUs: ((used.producers - usedBefore.producers) * 1000) / count,
    busy: (machine.busyMs - machineBefore.busyMs) / (machine.allMs - machineBefore.allMs),
  };
}
