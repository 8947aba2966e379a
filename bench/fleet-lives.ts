import type { FleetBench } from './fleet.ts';
import { rateOf, startFleet } from './fleet-run.ts';
import { medians } from './measure.ts';
import { atLeast, bestOf, type Figures } from './report.ts';

const CONCURRENCIES = [1, 10, 50] as const;
const BOUNDS: Record<number, number> = { 1: 1.1, 10: 4, 50: 6 };
const SECONDS = 4;

/** One producer and one worker, with as many callers as slots. */
export async function measureLives(bench: FleetBench): Promise<Figures> {
  const rows: Record<string, Record<string, number>> = {};
  const pledges = [];
  for (const concurrency of CONCURRENCIES) {
    const rates = new Map<string, number[]>();
    for (let round = 1; round <= bench.rounds; round += 1) {
      for (const contestant of bench.contestants) {
        process.stderr.write(`  round ${round} of ${bench.rounds}: ${contestant.name} at ${concurrency}\n`);
        const size = { producers: 1, workers: 1, concurrency };
        const fleet = await startFleet(bench, contestant, await bench.fresh(contestant), size);
        const { rate } = await rateOf(fleet, concurrency, SECONDS * bench.scale);
        await fleet.stop();
        rates.set(contestant.name, [...(rates.get(contestant.name) ?? []), rate]);
      }
    }
    const row = medians(rates);
    rows[`lives/s at ${concurrency}`] = row;
    const best = bestOf(row, Math.max);
    pledges.push(
      atLeast(`× ${best.name}, at ${concurrency}`, (row['baton'] ?? Number.NaN) / best.value, BOUNDS[concurrency] ?? 1),
    );
  }
  return { rows, pledges };
}
