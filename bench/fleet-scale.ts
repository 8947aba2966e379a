import type { Contestant } from './contestants/contestant.ts';
import type { FleetBench } from './fleet.ts';
import { CALLERS, SENDERS, scaling } from './fleet-curve.ts';
import { rateOf, startFleet, type Measured } from './fleet-run.ts';
import { shown, type Figures } from './report.ts';

/** Of each peer the form in which a worker holds no more than it has slots for. */
const FORMS = ['baton', 'graphile-worker', 'pg-boss', 'DBOS'];
const WORKERS = [1, 2, 4, 8] as const;
/** Short for an agent, and long enough that neither the server nor this machine is full with eight workers. */
export const HANDLER_MS = 20;
const SECONDS = 3;

/** How the rate grows with the number of workers while neither the server nor the machine is the limit. */
export async function measureScale(bench: FleetBench): Promise<Figures> {
  const rows: Record<string, Record<string, number>> = {};
  let ours: ReadonlyMap<number, Measured> = new Map();
  for (const contestant of bench.contestants.filter(({ name }) => FORMS.includes(name))) {
    const measured = await scaleOf(bench, contestant);
    for (const [workers, { rate, busy }] of measured) {
      process.stderr.write(
        `  ${contestant.name}, ${workers}: ${shown(rate)} a second, ${Math.round(busy * 100)} % busy\n`,
      );
      (rows[`handled/s, ${workers} × 1`] ??= {})[contestant.name] = rate;
    }
    if (contestant.name === 'baton') ours = measured;
  }
  return { rows, pledges: [scaling(`1 with handlers of ${HANDLER_MS} ms`, ours)] };
}

async function scaleOf(bench: FleetBench, contestant: Contestant): Promise<ReadonlyMap<number, Measured>> {
  const size = { producers: SENDERS, workers: 0, concurrency: 1, handlerMs: HANDLER_MS };
  const fleet = await startFleet(bench, contestant, await bench.fresh(contestant), size);
  const measured = new Map<number, Measured>();
  let there = 0;
  for (const workers of WORKERS) {
    await fleet.addWorkers(workers - there);
    there = workers;
    measured.set(workers, await rateOf(fleet, CALLERS, SECONDS * bench.scale));
  }
  await fleet.stop();
  return measured;
}
