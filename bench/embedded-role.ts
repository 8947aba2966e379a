/** One process of the embedded bench, producer or worker of one contestant; it does what the bench tells it to. */
import { embeddedNamed } from './contestants/embedded-all.ts';
import { inputOf } from './contestants/contestant.ts';
import type { Answer, Order } from './embedded-roles.ts';

const [role = '', name = '', place = '', concurrency = '1'] = process.argv.slice(2);
const contestant = embeddedNamed(name);
const perform = role === 'producer' ? await producer() : await worker();

process.on('message', (order: Order) => {
  perform(order).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      process.stderr.write(`${name}: ${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
// Also when the bench itself has ended early.
process.on('disconnect', () => process.exit(0));
process.send?.({} satisfies Answer);

async function producer(): Promise<(order: Order) => Promise<Answer>> {
  const opened = await contestant.openProducer(place);
  return async (order) => {
    switch (order.do) {
      case 'lives': {
        const cpuBefore = process.cpuUsage();
        const beganMs = performance.now();
        await opened.lives(order.concurrency, order.count);
        const seconds = (performance.now() - beganMs) / 1000;
        return { seconds, cpuMs: cpuMsSince(cpuBefore) };
      }
      case 'send':
        await opened.send(inputOf());
        return {};
      case 'bulk': {
        const beganMs = performance.now();
        for (let sent = 0; sent < order.count; sent += order.batch) {
          await opened.sendMany(Array.from({ length: Math.min(order.batch, order.count - sent) }, inputOf));
        }
        return { seconds: (performance.now() - beganMs) / 1000 };
      }
      case 'drained':
        while ((await opened.unfinished()) > 0) await new Promise((resolve) => setTimeout(resolve, 2));
        return {};
      case 'look':
        return lookOf();
      case 'stop':
        await opened.close();
        return end();
    }
  };
}

async function worker(): Promise<(order: Order) => Promise<Answer>> {
  let delays: number[] = [];
  const hangs = process.env['BATON_BENCH_HANGS'] === '1';
  const started = await contestant.startWorker(place, Number(concurrency), ({ sentAt }) => {
    const startedAt = performance.timeOrigin + performance.now();
    if (process.env['BATON_BENCH_TELLS'] === '1') process.send?.({ startedAt } satisfies Answer);
    delays.push(startedAt - sentAt);
    return hangs ? new Promise(() => undefined) : undefined;
  });
  return async (order) => {
    if (order.do === 'stop') {
      await started.stop();
      return end();
    }
    const looked = { ...lookOf(), delays };
    delays = [];
    return looked;
  };
}

function lookOf(): Answer {
  return { rss: process.memoryUsage().rss, cpuMs: cpuMsSince({ user: 0, system: 0 }) };
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function end(): Answer {
  setImmediate(() => process.disconnect?.());
  return {};
}
