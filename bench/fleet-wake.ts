import type { FleetBench } from './fleet.ts';
import { startFleet } from './fleet-run.ts';
import { medians, percentile } from './measure.ts';
import { atMost, bestOf, type Figures } from './report.ts';

const WAKE_UPS = 40;
const PER_SECOND = 20;
/** A fleet has been running for a while: connections are made and code is compiled while these arrive, without a pause. */
const WARM_UPS = 500;

/** From the call of `send` to the start of the handler in a worker that has nothing else to do. */
export async function measureWakeUps(bench: FleetBench): Promise<Figures> {
  const [halves, tails] = [new Map<string, number[]>(), new Map<string, number[]>()];
  for (let round = 1; round <= bench.rounds; round += 1) {
    for (const contestant of bench.contestants) {
      process.stderr.write(`  round ${round} of ${bench.rounds}: ${contestant.name}\n`);
      const fleet = await startFleet(bench, contestant, await bench.fresh(contestant), {
        producers: 1,
        workers: 1,
        concurrency: 1,
      });
      await fleet.lives(1, Math.ceil(WARM_UPS * Math.min(1, bench.scale)));
      await fleet.delays();
      await fleet.evenly(PER_SECOND, Math.ceil(WAKE_UPS * Math.max(0.3, bench.scale)));
      const delays = await fleet.delays();
      await fleet.stop();
      halves.set(contestant.name, [...(halves.get(contestant.name) ?? []), percentile(delays, 50)]);
      tails.set(contestant.name, [...(tails.get(contestant.name) ?? []), percentile(delays, 99)]);
    }
  }
  const p50 = medians(halves);
  const best = bestOf(p50, Math.min);
  return {
    rows: { 'wake-up p50 ms': p50, 'wake-up p99 ms': medians(tails) },
    pledges: [atMost(`wake-up p50, as a part of that of ${best.name}`, (p50['baton'] ?? Number.NaN) / best.value, 1)],
  };
}
