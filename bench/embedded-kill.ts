import type { Bench } from './embedded.ts';
import { atMost, type Figures } from './report.ts';
import { startRole, type Answer } from './roles.ts';
import type { Contestant } from './contestants/contestant.ts';
import { median } from './measure.ts';

const TRIALS: Record<string, number> = { baton: 5, BullMQ: 1 };
const PATIENCE_MS = 180_000;

/** A worker dies by kill -9 in the middle of a handler; a second one is there. How long until it starts the handler? */
export async function measureKill(bench: Bench): Promise<Figures> {
  const row: Record<string, number> = {};
  for (const contestant of bench.contestants.filter(({ name }) => TRIALS[name] !== undefined)) {
    const times: number[] = [];
    for (let trial = 1; trial <= (TRIALS[contestant.name] ?? 0); trial += 1) {
      times.push(await trialOf(contestant, await bench.fresh(contestant)));
      process.stderr.write(`  ${contestant.name}: ${times.at(-1)?.toFixed(0)} ms\n`);
    }
    row[contestant.name] = median(times);
  }
  const pledges = [atMost('ms until the work of a killed worker is redelivered', row['baton'] ?? Number.NaN, 1_000)];
  return { rows: { 'redelivery after kill -9, ms': row }, pledges };
}

async function trialOf(contestant: Contestant, place: string): Promise<number> {
  const first = await startRole('worker', contestant, place, {
    env: { BATON_BENCH_HANGS: '1', BATON_BENCH_TELLS: '1' },
  });
  const producer = await startRole('producer', contestant, place);
  const started = startOf(first.child);
  await producer.ask({ do: 'send', concurrency: 1, count: 1 });
  await started;
  const second = await startRole('worker', contestant, place, { env: { BATON_BENCH_TELLS: '1' } });
  const again = startOf(second.child);
  const killedAt = performance.timeOrigin + performance.now();
  first.child.kill('SIGKILL');
  const startedAt = await again;
  await producer.ask({ do: 'drained' });
  await producer.stop();
  await second.stop();
  return startedAt - killedAt;
}

function startOf(child: import('node:child_process').ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('no handler has started')), PATIENCE_MS);
    const onMessage = ({ startedAt }: Answer): void => {
      if (startedAt === undefined) return;
      clearTimeout(late);
      child.off('message', onMessage);
      resolve(startedAt);
    };
    child.on('message', onMessage);
  });
}
