import type { Bench } from './embedded.ts';
import { atMost, type Figures } from './embedded-report.ts';
import { startRole } from './embedded-roles.ts';
import { embeddedNamed } from './contestants/embedded-all.ts';

const HANDOFFS = 100_000;
const LOOKS = 10;
const CONCURRENCY = 50;
/** Kilobytes for a thousand handoffs. A worker that kept even one small object of each would be far above. */
const FLAT_KB = 50;

/** Two rounds of the same: while caches and heap find their size memory grows for everybody, so the slope is that of the second half. */
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
  const perThousand = (slopeOf(sizes.slice(LOOKS / 2)) / each) * 1000;
  return { rows, pledges: [atMost('kB that 1,000 more handoffs add to the worker', perThousand, FLAT_KB)] };
}

/** Least squares, per step. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const over = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  return over / values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
}
