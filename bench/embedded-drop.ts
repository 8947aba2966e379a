/** From the moment a foreign program has written a file into pending/ to the start of the handler in our worker. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './embedded.ts';
import { atMost, type Figures } from './report.ts';
import { startRole } from './roles.ts';
import { embeddedNamed } from './contestants/all.ts';
import { inputOf } from './contestants/contestant.ts';
import { median, percentile } from './measure.ts';

const DROPS = 100;
const WARM_UPS = 10;
const EVERY_MS = 100;
const WITH = 'baton, folder on';

export async function measureDrops(bench: Bench): Promise<Figures> {
  const halves: number[] = [];
  const tails: number[] = [];
  const count = WARM_UPS + Math.ceil(DROPS * Math.max(bench.scale, 0.2));
  for (let round = 1; round <= bench.rounds; round += 1) {
    process.stderr.write(`  round ${round} of ${bench.rounds}\n`);
    const contestant = embeddedNamed(WITH);
    const place = bench.folder(`drop ${round}`);
    await contestant.prepare(place);
    const worker = await startRole('worker', contestant, place);
    // The folders are there when it has begun to keep them.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    for (let at = 0; at < count; at += 1) {
      const request = {
        handoff_id: `drop-${at}`,
        source: { agent_id: '@sender' },
        target: { agent_id: '@worker' },
        input: { data: inputOf() },
      };
      writeFileSync(join(place, 'handoffs/pending', `drop-${at}.json`), JSON.stringify(request, null, 2));
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    const { delays = [] } = await worker.ask({ do: 'look' });
    await worker.stop();
    const warm = delays.slice(WARM_UPS);
    halves.push(percentile(warm, 50));
    tails.push(percentile(warm, 99));
  }
  const p50 = median(halves);
  return {
    rows: { 'file to handler p50 ms': { [WITH]: p50 }, 'file to handler p99 ms': { [WITH]: median(tails) } },
    pledges: [atMost('file in pending/ to handler start, p50 ms', p50, 10)],
  };
}
