import type { Contestant } from './contestants/contestant.ts';
import type { FleetBench } from './fleet.ts';
import { rateOf, startFleet, type Fleet, type Measured } from './fleet-run.ts';
import { percentile, tableOf } from './measure.ts';
import { atLeast, shown, type Figures, type Pledge } from './report.ts';

const CONCURRENCIES = [1, 10, 50] as const;
const WORKERS = [1, 2, 4, 8] as const;
export const SENDERS = 4;
/** Each sender has so many calls of `send` open: more than the workers need, so that they are never without work. */
export const CALLERS = 25;
/** Of each peer one form: the batched one, where there are two. */
const FORMS = ['baton', 'graphile-worker, batched', 'pg-boss, batched', 'DBOS'];
const SECONDS = 1.5;
const [LOAD_CONCURRENCY, LOAD_PER_SECOND, LOAD_SECONDS] = [10, 200, 3];
const SCALING_BOUND = 3;
/** A machine as busy as this has nothing left for more workers. */
const BUSY = 0.9;

type Row = Record<string, number>;

/** One to eight worker processes and four senders; then how late a handler starts while a steady load comes in. */
export async function measureCurve(bench: FleetBench): Promise<Figures> {
  const rates: Record<string, Row> = {};
  const costs: Record<string, Row> = {};
  const loads: Record<string, Row> = {};
  const pledges: Pledge[] = [];
  for (const concurrency of CONCURRENCIES) {
    for (const contestant of bench.contestants.filter(({ name }) => FORMS.includes(name))) {
      process.stderr.write(`  ${contestant.name} at ${concurrency}\n`);
      const { measured, load } = await curveOf(bench, contestant, concurrency);
      for (const [workers, each] of measured) {
        (rates[`lives/s, ${workers} × ${concurrency}`] ??= {})[contestant.name] = each.rate;
        const costUs = each.serverUs + each.workerUs + each.producerUs;
        (costs[`processor µs a life, ${workers} × ${concurrency}`] ??= {})[contestant.name] = costUs;
      }
      if (load !== null) loads[contestant.name] = load;
      if (contestant.name === 'baton') pledges.push(scaling(concurrency, measured));
    }
  }
  const columns = Object.keys(loads['baton'] ?? {});
  const lines = Object.entries(loads).map(([name, row]) => [name, ...columns.map((column) => shown(row[column]))]);
  return {
    rows: { ...rates, ...costs },
    pledges,
    notes: [
      `From send to the start of the handler while ${SENDERS} senders send ${LOAD_PER_SECOND} a second to ${WORKERS.at(-1)} workers × ${LOAD_CONCURRENCY}:`,
      tableOf(['under load', ...columns], lines),
    ],
  };
}

async function curveOf(
  bench: FleetBench,
  contestant: Contestant,
  concurrency: number,
): Promise<{ readonly measured: ReadonlyMap<number, Measured>; readonly load: Row | null }> {
  const size = { producers: SENDERS, workers: 0, concurrency };
  const fleet = await startFleet(bench, contestant, await bench.fresh(contestant), size);
  const measured = new Map<number, Measured>();
  let there = 0;
  for (const workers of WORKERS) {
    await fleet.addWorkers(workers - there);
    there = workers;
    const found = await rateOf(fleet, CALLERS, SECONDS * bench.scale);
    process.stderr.write(
      `    ${workers}: ${shown(found.rate)} lives/s, ${(found.busy * 100).toFixed(0)} % busy, µs a life: ${shown(found.serverUs)} server, ${shown(found.workerUs)} workers, ${shown(found.producerUs)} senders\n`,
    );
    measured.set(workers, found);
  }
  const load = concurrency === LOAD_CONCURRENCY ? await loadOn(fleet, bench) : null;
  await fleet.stop();
  return { measured, load };
}

/** How late handlers start, and what a life costs, while the load is steady. */
async function loadOn(fleet: Fleet, bench: FleetBench): Promise<Row> {
  const count = Math.ceil(LOAD_PER_SECOND * LOAD_SECONDS * bench.scale);
  await fleet.evenly(LOAD_PER_SECOND, Math.ceil(count / 4));
  await fleet.delays();
  const before = await fleet.usedMs();
  await fleet.evenly(LOAD_PER_SECOND, count);
  const [used, delays] = [await fleet.usedMs(), await fleet.delays()];
  return {
    'p50 ms': percentile(delays, 50),
    'p99 ms': percentile(delays, 99),
    'server µs a life': ((used.server - before.server) * 1000) / count,
    'workers µs a life': ((used.workers - before.workers) * 1000) / count,
  };
}

/**
 * What eight do of one. Where the machine, on which server, senders and workers all are, has nothing left while there are
 * fewer, more workers cannot do more: that is neither kept nor missed.
 */
export function scaling(what: number | string, measured: ReadonlyMap<number, Measured>): Pledge {
  const times = (measured.get(8)?.rate ?? Number.NaN) / (measured.get(1)?.rate ?? Number.NaN);
  const pledge = atLeast(`eight workers, × one, at ${what}`, times, SCALING_BOUND);
  const full = [...measured].find(([, { busy }]) => busy >= BUSY);
  if (pledge.kept === true || full === undefined) return pledge;
  const [workers, { busy }] = full;
  const limit = `the machine is the limit from ${workers} on, ${(busy * 100).toFixed(0)} % of all cores`;
  return { ...pledge, kept: null, says: `${pledge.says} (${limit})` };
}
