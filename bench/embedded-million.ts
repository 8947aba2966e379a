import type { Bench } from './embedded.ts';
import { atLeast, type Figures } from './report.ts';
import { livesOf } from './embedded-lives.ts';
import { embeddedNamed } from './contestants/all.ts';
import { fill } from './fill-sqlite.ts';
import { median } from './measure.ts';

const FINISHED = 1_000_000;
const PAIRS = 11;
const CONCURRENCY = 10;
const LIVES = 1_000;
const BOUND = 0.9;

/** The same short run on an empty database and on one with a million finished handoffs, turn by turn. */
export async function measureMillion(bench: Bench): Promise<Figures> {
  const contestant = embeddedNamed('baton');
  const full = bench.folder('million');
  const finished = Math.ceil(FINISHED * bench.scale);
  const beganMs = performance.now();
  fill(full, finished);
  process.stderr.write(`  ${finished} written in ${((performance.now() - beganMs) / 1000).toFixed(0)} s\n`);
  const [onEmpty, onFull]: [number[], number[]] = [[], []];
  const lives = Math.ceil(LIVES * Math.max(bench.scale, 0.2));
  for (let pair = 1; pair <= PAIRS; pair += 1) {
    const empty = await bench.fresh(contestant);
    const runs = [
      async () => onEmpty.push((await livesOf(contestant, empty, CONCURRENCY, lives, () => lives)).rate),
      async () => onFull.push((await livesOf(contestant, full, CONCURRENCY, lives, () => lives)).rate),
    ];
    // Who is first changes from pair to pair: the second finds a warmer machine.
    for (const run of pair % 2 === 0 ? runs : runs.toReversed()) await run();
    process.stderr.write(`  pair ${pair}: ${onEmpty.at(-1)?.toFixed(0)} empty, ${onFull.at(-1)?.toFixed(0)} full\n`);
  }
  const row = { baton: median(onFull), empty: median(onEmpty) };
  return {
    rows: { [`lives/s at ${CONCURRENCY} with ${finished} finished`]: row },
    pledges: [atLeast('with a million finished, of empty', row.baton / row.empty, BOUND)],
    notes: ['The plans of all questions on this way are asserted by test/sqlite/query-plans.test.ts.'],
  };
}
