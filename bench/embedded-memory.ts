import type { Bench } from './embedded.ts';
import { atMost, type Figures } from './report.ts';
import { startRole } from './roles.ts';
import { embeddedNamed } from './contestants/all.ts';
import { median } from './measure.ts';

const HANDOFFS = 100_000;
const LOOKS = 10;
const CONCURRENCY = 50;
/** A worker that kept even a hundred bytes of each handoff would be above. */
const GROWTH_MAX = 1.05;

/** While caches and heap find their size memory grows for everybody, and the collector comes when it likes: medians of three. */
export async function measureMemory(bench: Bench): Promise<Figures> {
  const contestant = embeddedNamed('baton');
  const place = await bench.fresh(contestant);
  const worker = await startRole('worker', contestant, place, { concurrency: CONCURRENCY });
  const producer = await startRole('producer', contestant, place);
  const each = Math.ceil((HANDOFFS * bench.scale) / LOOKS);
  const rows: Record<string, Record<string, number>> = {};
  const sizes: number[] = [];
  for (let look = 1; look <= LOOKS; look += 1) {
    await producer.ask({ do: 'lives', concurrency: CONCURRENCY, count: each });
    const { rss = Number.NaN } = await worker.ask({ do: 'look' });
    sizes.push(rss / 1024);
    rows[`worker MB after ${look * each}`] = { baton: rss / 1024 / 1024 };
    process.stderr.write(`  ${look * each}: ${(rss / 1024 / 1024).toFixed(1)} MB\n`);
  }
  await producer.stop();
  await worker.stop();
  const growth = median(sizes.slice(-3)) / median(sizes.slice(2, 5));
  return { rows, pledges: [atMost('worker memory at the end, as a part of that after a third', growth, GROWTH_MAX)] };
}
