import type { Bench } from './embedded.ts';
import { atLeast, ratioOf, type Figures, type Pledge } from './report.ts';
import { startRole } from './roles.ts';
import type { Contestant } from './contestants/contestant.ts';
import { medians } from './measure.ts';

const CONCURRENCIES = [1, 10, 50] as const;
/** What is measured within one second is mostly the noise of the machine. */
const SECONDS = 5;
/** Handoffs before the measurement, so that code is compiled and files exist. */
const WARM_UP: Record<number, number> = { 1: 1_500, 10: 3_000, 50: 3_000 };
const BULK = 10_000;
const BULK_BATCH = 1_000;
const BULLMQ_BOUNDS: Record<number, number> = { 1: 1.1, 10: 1.5, 50: 1.5 };
const FLOOR_BOUND = 0.7;

export async function measureLives(bench: Bench): Promise<Figures> {
  const values = new Map<string, Map<string, number[]>>();
  const keep = (what: string, who: string, value: number): void => {
    const row = values.get(what) ?? new Map<string, number[]>();
    row.set(who, [...(row.get(who) ?? []), value]);
    values.set(what, row);
  };
  for (let round = 1; round <= bench.rounds; round += 1) {
    for (const concurrency of CONCURRENCIES) {
      for (const contestant of bench.contestants) {
        process.stderr.write(`  round ${round} of ${bench.rounds}: ${contestant.name} at ${concurrency}\n`);
        const warmUp = Math.ceil((WARM_UP[concurrency] ?? 0) * bench.scale);
        const { rate, cpuUs } = await livesOf(contestant, await bench.fresh(contestant), concurrency, warmUp, (warm) =>
          Math.ceil(warm * SECONDS * bench.scale),
        );
        keep(`lives/s at ${concurrency}`, contestant.name, rate);
        keep(`processor µs per life at ${concurrency}`, contestant.name, cpuUs);
      }
    }
    for (const contestant of bench.contestants) {
      const { sent, drained } = await bulkOf(bench, contestant);
      keep('bulk sends/s', contestant.name, sent);
      keep('drained/s', contestant.name, drained);
    }
  }
  const rows = Object.fromEntries([...values].map(([what, row]) => [what, medians(row)]));
  return { rows, pledges: pledgesOf(rows) };
}

/**
 * How many lives are measured may depend on the rate of the warm-up. Processor time is that of both processes of the
 * contestant; what a server uses beside them is not in it.
 */
export async function livesOf(
  contestant: Contestant,
  place: string,
  concurrency: number,
  warmUp: number,
  countAt: (warmRate: number) => number,
): Promise<{ readonly rate: number; readonly cpuUs: number }> {
  const worker = await startRole('worker', contestant, place, { concurrency });
  const producer = await startRole('producer', contestant, place);
  const warm = await producer.ask({ do: 'lives', concurrency, count: warmUp });
  const count = countAt(warmUp / (warm.seconds ?? Number.NaN));
  const before = await worker.ask({ do: 'look' });
  const { seconds = Number.NaN, cpuMs = 0 } = await producer.ask({ do: 'lives', concurrency, count });
  const after = await worker.ask({ do: 'look' });
  await producer.stop();
  await worker.stop();
  const workerMs = (after.cpuMs ?? 0) - (before.cpuMs ?? 0);
  return { rate: count / seconds, cpuUs: ((cpuMs + workerMs) * 1000) / count };
}

/** Sends in batches without a worker; then a worker with fifty slots drains the queue. */
async function bulkOf(
  bench: Bench,
  contestant: Contestant,
): Promise<{ readonly sent: number; readonly drained: number }> {
  const place = await bench.fresh(contestant);
  const count = Math.ceil(BULK * bench.scale);
  const producer = await startRole('producer', contestant, place);
  const { seconds = Number.NaN } = await producer.ask({ do: 'bulk', count, batch: BULK_BATCH });
  const beganMs = performance.now();
  const worker = await startRole('worker', contestant, place, { concurrency: 50 });
  await producer.ask({ do: 'drained' });
  const drainSeconds = (performance.now() - beganMs) / 1000;
  await producer.stop();
  await worker.stop();
  return { sent: count / seconds, drained: count / drainSeconds };
}

function pledgesOf(rows: Figures['rows']): readonly Pledge[] {
  return CONCURRENCIES.flatMap((concurrency) => {
    const row = rows[`lives/s at ${concurrency}`];
    const pledges = [atLeast(`of the bare loop at ${concurrency}`, ratioOf(row, 'bare loop'), FLOOR_BOUND)];
    if (row?.['BullMQ'] === undefined) return pledges;
    return [...pledges, atLeast(`× BullMQ at ${concurrency}`, ratioOf(row, 'BullMQ'), BULLMQ_BOUNDS[concurrency] ?? 1)];
  });
}
