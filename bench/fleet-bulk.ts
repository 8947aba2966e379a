import { setTimeout as pause } from 'node:timers/promises';
import type { Contestant } from './contestants/contestant.ts';
import type { FleetBench } from './fleet.ts';
import { startedBy } from './fleet-run.ts';
import { medians } from './measure.ts';
import { atLeast, bestOf, type Figures } from './report.ts';
import { startRole, type Role } from './roles.ts';

const SECONDS = 2;
const BATCH = 1_000;
const CONCURRENCY = 50;
const SENDS_BOUND = 1.1;
const DRAIN_BOUND = 1;
const [SENT, DRAINED] = ['bulk sends/s', 'drained/s'];

/**
 * Sends in batches without a worker; then a worker with fifty slots drains the queue. As in the other sections, the warm-up
 * takes as long as the measurement.
 */
export async function measureBulk(bench: FleetBench): Promise<Figures> {
  const values = new Map<string, Map<string, number[]>>();
  for (let round = 1; round <= bench.rounds; round += 1) {
    for (const contestant of bench.contestants) {
      process.stderr.write(`  round ${round} of ${bench.rounds}: ${contestant.name}\n`);
      for (const [what, value] of Object.entries(await bulkOf(bench, contestant))) {
        const row = values.get(what) ?? new Map<string, number[]>();
        row.set(contestant.name, [...(row.get(contestant.name) ?? []), value]);
        values.set(what, row);
      }
    }
  }
  const rows = Object.fromEntries([...values].map(([what, row]) => [what, medians(row)]));
  const keeping = bench.contestants.filter(({ keepsFinished }) => keepsFinished).map(({ name }) => name);
  const sent = rows[SENT] ?? {};
  const kept = Object.fromEntries(Object.entries(rows[DRAINED] ?? {}).filter(([name]) => keeping.includes(name)));
  const [sender, drainer] = [bestOf(sent, Math.max), bestOf(kept, Math.max)];
  return {
    rows,
    pledges: [
      atLeast(`bulk, × ${sender.name}`, (sent['baton'] ?? Number.NaN) / sender.value, SENDS_BOUND),
      atLeast(
        `drain, × ${drainer.name}, the best of those that keep what is finished`,
        (kept['baton'] ?? Number.NaN) / drainer.value,
        DRAIN_BOUND,
      ),
    ],
  };
}

async function bulkOf(bench: FleetBench, contestant: Contestant): Promise<Record<string, number>> {
  const url = await bench.fresh(contestant);
  const { serverMs } = bench;
  const producer = await startRole('producer', contestant, url);
  const sendAll = async (count: number): Promise<number> =>
    (await producer.ask({ do: 'bulk', count, batch: BATCH })).seconds ?? Number.NaN;
  const fitting = (rate: number, seconds: number): number => Math.ceil((rate * seconds) / BATCH) * BATCH;
  const warmUp = fitting(BATCH / (await sendAll(BATCH)), SECONDS * bench.scale);
  const count = fitting(warmUp / (await sendAll(warmUp)), SECONDS * bench.scale);
  const sendBeganMs = await usedBy(serverMs, producer);
  const seconds = await sendAll(count);
  const sendMs = (await usedBy(serverMs, producer)) - sendBeganMs;
  const env = { BATON_BENCH_TELLS: '1', NO_LOG_SUCCESS: '1' };
  const worker = await startRole('worker', contestant, url, { concurrency: CONCURRENCY, env });
  while (startedBy([worker]) < BATCH + warmUp) await pause(2);
  const drainUsedMs = await usedBy(serverMs, worker);
  const [before, beganMs] = [startedBy([worker]), performance.now()];
  while (startedBy([worker]) < BATCH + warmUp + count) await pause(2);
  await producer.ask({ do: 'drained' });
  const drainSeconds = (performance.now() - beganMs) / 1000;
  const drainMs = (await usedBy(serverMs, worker)) - drainUsedMs;
  await producer.stop();
  await worker.stop();
  const drained = BATCH + warmUp + count - before;
  return {
    [SENT]: count / seconds,
    'processor µs a send': (sendMs * 1000) / count,
    [DRAINED]: drained / drainSeconds,
    'processor µs a drained one': (drainMs * 1000) / drained,
  };
}

/** By the server and this one process. */
async function usedBy(serverMs: () => number, role: Role): Promise<number> {
  const { cpuMs = 0 } = await role.ask({ do: 'used' });
  return serverMs() + cpuMs;
}
