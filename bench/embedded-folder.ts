/** What the queue folder costs: the same lives with and without it, in turn. */
import type { Bench } from './embedded.ts';
import { livesOf } from './embedded-lives.ts';
import { atLeast, type Figures } from './embedded-report.ts';
import { embeddedNamed } from './contestants/embedded-all.ts';
import { median } from './measure.ts';

const CONCURRENCY = 50;
const LIVES = 4_000;
/** Half a dozen renames and four syncs beside one shared commit. */
const SHARE_BOUND = 0.25;
const WITH = 'baton, folder on';
const WITHOUT = 'baton';

export async function measureFolder(bench: Bench): Promise<Figures> {
  const rates = new Map<string, number[]>();
  const costs = new Map<string, number[]>();
  for (let round = 1; round <= bench.rounds; round += 1) {
    for (const name of [WITHOUT, WITH]) {
      process.stderr.write(`  round ${round} of ${bench.rounds}: ${name}\n`);
      const contestant = embeddedNamed(name);
      const count = Math.ceil(LIVES * bench.scale);
      // A new place each time: where many files were just deleted, making one takes a system far longer.
      const place = bench.folder(`${name} ${round}`);
      await contestant.prepare(place);
      const { rate, cpuUs } = await livesOf(contestant, place, CONCURRENCY, count);
      rates.set(name, [...(rates.get(name) ?? []), rate]);
      costs.set(name, [...(costs.get(name) ?? []), cpuUs]);
    }
  }
  const medians = (values: ReadonlyMap<string, readonly number[]>): Record<string, number> =>
    Object.fromEntries([...values].map(([name, all]) => [name, median(all)]));
  const lives = medians(rates);
  const share = (lives[WITH] ?? Number.NaN) / (lives[WITHOUT] ?? Number.NaN);
  return {
    rows: {
      [`lives/s at ${CONCURRENCY}`]: lives,
      [`processor µs per life at ${CONCURRENCY}`]: medians(costs),
    },
    pledges: [atLeast(`of the rate without the folder at ${CONCURRENCY}`, share, SHARE_BOUND)],
  };
}
