import type { Bench } from './embedded.ts';
import { atLeast, atMost, ratioOf, type Figures } from './report.ts';
import { startRole } from './roles.ts';
import { medians, percentile } from './measure.ts';

const WAKE_UPS = 100;
const EVERY_MS = 100;
const WARM_UPS = 10;

/** From the call of `send` to the start of the handler in the other process, ten times a second. */
export async function measureWakeUps(bench: Bench): Promise<Figures> {
  const halves = new Map<string, number[]>();
  const tails = new Map<string, number[]>();
  const count = Math.ceil(WAKE_UPS * Math.max(bench.scale, 0.2));
  for (let round = 1; round <= bench.rounds; round += 1) {
    for (const contestant of bench.contestants) {
      process.stderr.write(`  round ${round} of ${bench.rounds}: ${contestant.name}\n`);
      const place = await bench.fresh(contestant);
      const worker = await startRole('worker', contestant, place);
      const producer = await startRole('producer', contestant, place);
      for (let sent = 0; sent < WARM_UPS + count; sent += 1) {
        await producer.ask({ do: 'send', concurrency: 1, count: 1 });
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      }
      const { delays = [] } = await worker.ask({ do: 'look' });
      await producer.stop();
      await worker.stop();
      const warm = delays.slice(WARM_UPS);
      halves.set(contestant.name, [...(halves.get(contestant.name) ?? []), percentile(warm, 50)]);
      tails.set(contestant.name, [...(tails.get(contestant.name) ?? []), percentile(warm, 99)]);
    }
  }
  const p50 = medians(halves);
  const pledges = [atMost('send to handler start, p50 ms', p50['baton'] ?? Number.NaN, 3)];
  if (p50['BullMQ'] !== undefined) pledges.push(atLeast('BullMQ / ours', 1 / ratioOf(p50, 'BullMQ'), 1));
  return { rows: { 'wake-up p50 ms': p50, 'wake-up p99 ms': medians(tails) }, pledges };
}
