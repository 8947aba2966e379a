/**
 * What a life costs, and what follows from it for a fleet over a network. `docs/operations/sizing.md` explains the model.
 *
 * A slot needs `r` consecutive round trips per life. If the way to the server takes `d` longer, a worker with `c` slots that
 * did X lives a second does c / (c / X + r · d). So many workers do so many times that, until the server has no processor
 * time left: its cores, divided by what it needs for a life.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { availableParallelism } from 'node:os';
import postgres from 'postgres';
import { fleetNamed } from './contestants/all.ts';
import { delayProxy } from './delay-proxy.ts';
import type { FleetBench } from './fleet.ts';
import { CALLERS, SENDERS, scaling } from './fleet-curve.ts';
import { FEWEST, rateOf, measureLives, startFleet, type Fleet, type Measured } from './fleet-run.ts';
import { median, tableOf } from './measure.ts';
import { shown, type Figures, type Pledge } from './report.ts';

const CONCURRENCIES = [1, 10, 50] as const;
const DELAYS_MS = [0, 1, 5] as const;
const WORKERS = [1, 8] as const;
const SECONDS = 2;
const IDLE_MS = 3_000;
const LOOKS = 50;
/** What the page on sizing shows. */
const MACHINES = 100;
const NETWORK_MS = 1;
const SERVER_CORES = [2, 8, 32] as const;

interface Cost extends Measured {
  readonly delayMs: number;
  readonly workers: number;
  readonly concurrency: number;
  /** How long `select 1` takes that way. */
  readonly roundTripMs: number;
  /** Per life, of workers and of senders. */
  readonly roundTrips: number;
  readonly statements: number;
  readonly sendRoundTrips: number;
  readonly sendStatements: number;
}

export async function measureModel(bench: FleetBench): Promise<Figures> {
  const costs: Cost[] = [];
  let idle: Readonly<Record<string, number>> = {};
  for (const delayMs of DELAYS_MS) {
    for (const concurrency of CONCURRENCIES) {
      process.stderr.write(`  ${delayMs} ms at ${concurrency}\n`);
      const measured = await costsOf(bench, delayMs, concurrency);
      costs.push(...measured.costs);
      for (const { workers, rate, roundTripMs } of measured.costs) {
        process.stderr.write(`    ${workers}: ${shown(rate)} lives/s, round trip ${shown(roundTripMs)} ms\n`);
      }
      idle = measured.idle;
    }
  }
  const here = costs.filter(({ delayMs }) => delayMs === 0);
  return {
    rows: Object.fromEntries(here.map((cost) => [`${cost.workers} × ${cost.concurrency}`, costRow(cost)])),
    pledges: DELAYS_MS.slice(1).flatMap((delayMs) => scalingsAt(costs, delayMs)),
    notes: [
      `An idle worker: ${Object.entries(idle)
        .map(([what, value]) => `${what} ${shown(value)}`)
        .join(', ')}.`,
      'Through a proxy that passes on everything later:',
      tableOf(
        ['workers × slots, delay', 'round trip ms', 'lives/s', 'predicted', 'measured / predicted', 'what limits it'],
        costs.filter(({ delayMs }) => delayMs > 0).map((cost) => checkOf(costs, cost)),
      ),
      `Predicted for ${MACHINES} machines with one worker each and a round trip of ${NETWORK_MS} ms:`,
      tableOf(
        ['slots each', 'workers could do', ...SERVER_CORES.map((cores) => `a server with ${cores} cores`)],
        CONCURRENCIES.map((concurrency) => fleetOf(costs, concurrency)),
      ),
    ],
  };
}

async function costsOf(
  bench: FleetBench,
  delayMs: number,
  concurrency: number,
): Promise<{ readonly costs: readonly Cost[]; readonly idle: Readonly<Record<string, number>> }> {
  const baton = fleetNamed('baton');
  const url = await bench.fresh(baton);
  const [forWorkers, forSenders] = [await delayProxy(url, delayMs), await delayProxy(url, delayMs)];
  const roundTripMs = await roundTripOf(forWorkers.through(url));
  const size = { producers: SENDERS, workers: 0, concurrency };
  const fleet = await startFleet(bench, baton, forSenders.through(url), size, forWorkers.through(url));
  const costs: Cost[] = [];
  let there = 0;
  for (const workers of WORKERS) {
    await fleet.addWorkers(workers - there);
    there = workers;
    const warm = await rateOf(fleet, CALLERS, 0.5 * bench.scale);
    const before = { worker: forWorkers.counts(), sender: forSenders.counts() };
    const count = Math.max(FEWEST, Math.ceil(warm.rate * SECONDS * bench.scale));
    const measured = await measureLives(fleet, CALLERS, count);
    const [worker, sender] = [forWorkers.counts(), forSenders.counts()];
    const perLife = (value: number): number => value / measured.count;
    costs.push({
      ...measured,
      ...{ delayMs, workers, concurrency, roundTripMs },
      roundTrips: perLife(worker.roundTrips - before.worker.roundTrips),
      statements: perLife(worker.statements - before.worker.statements),
      sendRoundTrips: perLife(sender.roundTrips - before.sender.roundTrips),
      sendStatements: perLife(sender.statements - before.sender.statements),
    });
  }
  const idle = await idleOf(fleet, there, () => forWorkers.counts());
  await fleet.stop();
  await Promise.all([forWorkers.close(), forSenders.close()]);
  return { costs, idle };
}

/** Per worker process and second, while nothing is sent. */
async function idleOf(
  fleet: Fleet,
  workers: number,
  counts: () => { readonly statements: number; readonly connections: number },
): Promise<Readonly<Record<string, number>>> {
  const [before, usedBefore] = [counts(), await fleet.usedMs()];
  await pause(IDLE_MS);
  const [after, used] = [counts(), await fleet.usedMs()];
  const seconds = IDLE_MS / 1000;
  const each = (value: number): number => value / seconds / workers;
  return {
    connections: after.connections / workers,
    'statements a second': each(after.statements - before.statements),
    'server ms a second': each(used.server - usedBefore.server),
    'own ms a second': each(used.workers - usedBefore.workers),
  };
}

async function roundTripOf(url: string): Promise<number> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  const times: number[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    const beganMs = performance.now();
    await sql`select 1`;
    times.push(performance.now() - beganMs);
  }
  await sql.end();
  return median(times);
}

function costRow(cost: Cost): Record<string, number> {
  return {
    'lives/s': cost.rate,
    'statements, worker': cost.statements,
    'round trips, worker': cost.roundTrips,
    'statements, sender': cost.sendStatements,
    'round trips, sender': cost.sendRoundTrips,
    'server µs': cost.serverUs,
    'worker µs': cost.workerUs,
    'sender µs': cost.producerUs,
    'machine busy': cost.busy,
  };
}

function costAt(costs: readonly Cost[], delayMs: number, workers: number, concurrency: number): Cost {
  const found = costs.find(
    (cost) => cost.delayMs === delayMs && cost.workers === workers && cost.concurrency === concurrency,
  );
  if (found === undefined) throw new Error(`${workers} × ${concurrency} was not measured with ${delayMs} ms`);
  return found;
}

/** Lives a second that one worker does when each round trip takes so much longer than here. */
function workerRate(costs: readonly Cost[], concurrency: number, longerMs: number): number {
  const inARow = costAt(costs, 0, 1, 1).roundTrips;
  return concurrency / (concurrency / costAt(costs, 0, 1, concurrency).rate + (inARow * longerMs) / 1000);
}

function checkOf(costs: readonly Cost[], cost: Cost): readonly string[] {
  const { workers, concurrency, delayMs } = cost;
  const longerMs = cost.roundTripMs - costAt(costs, 0, 1, concurrency).roundTripMs;
  const byWorkers = workers * workerRate(costs, concurrency, longerMs);
  // Server, senders and workers share the cores of one machine here.
  const { serverUs, workerUs, producerUs } = costAt(costs, 0, workers, concurrency);
  const byMachine = (availableParallelism() * 1_000_000) / (serverUs + workerUs + producerUs);
  const predicted = Math.min(byWorkers, byMachine);
  return [
    `${workers} × ${concurrency}, ${delayMs} ms`,
    shown(cost.roundTripMs),
    shown(cost.rate),
    shown(predicted),
    shown(cost.rate / predicted),
    byWorkers < byMachine ? 'round trips' : 'this machine',
  ];
}

/** The server's time per life grows with the number of those who listen: by as much as it did from one to eight. */
function fleetOf(costs: readonly Cost[], concurrency: number): readonly string[] {
  const [one, eight] = [costAt(costs, 0, 1, concurrency), costAt(costs, 0, 8, concurrency)];
  const longerMs = Math.max(0, NETWORK_MS - one.roundTripMs);
  const byWorkers = MACHINES * workerRate(costs, concurrency, longerMs);
  const serverUs = one.serverUs + Math.max(0, (eight.serverUs - one.serverUs) / 7) * (MACHINES - 1);
  return [
    String(concurrency),
    shown(byWorkers),
    ...SERVER_CORES.map((cores) => shown(Math.min(byWorkers, (cores * 1_000_000) / serverUs))),
  ];
}

function scalingsAt(costs: readonly Cost[], delayMs: number): readonly Pledge[] {
  return CONCURRENCIES.map((concurrency) =>
    scaling(
      `${concurrency} with ${delayMs} ms`,
      new Map(WORKERS.map((workers) => [workers, costAt(costs, delayMs, workers, concurrency)])),
    ),
  );
}
