/** One process of a benchmark, producer or worker of one contestant, which carries out orders of the benchmark. */
import { setTimeout as pause } from 'node:timers/promises';
import { embeddedNamed, fleetNamed } from './contestants/all.ts';
import { callers, inputOf } from './contestants/contestant.ts';
import type { Answer, Order } from './roles.ts';

/** How often a worker reports how many handlers have started. */
const REPORT_EVERY_MS = 10;

const [role = '', name = '', place = '', concurrency = '1'] = process.argv.slice(2);
const contestant = place.startsWith('postgres:') ? fleetNamed(name) : embeddedNamed(name);
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
        await opened.lives?.(order.concurrency, order.count);
        const seconds = (performance.now() - beganMs) / 1000;
        return { seconds, cpuMs: cpuMsSince(cpuBefore) };
      }
      case 'send': {
        const beganMs = performance.now();
        await callers(order.concurrency, order.count, () => opened.send(inputOf()));
        return { seconds: (performance.now() - beganMs) / 1000 };
      }
      case 'send evenly': {
        const beganMs = performance.now();
        const sending: Promise<void>[] = [];
        for (let sent = 0; sent < order.count; sent += 1) {
          await pause(Math.max(0, beganMs + sent * order.everyMs - performance.now()));
          sending.push(opened.send(inputOf()));
        }
        await Promise.all(sending);
        return {};
      }
      case 'bulk': {
        const beganMs = performance.now();
        for (let sent = 0; sent < order.count; sent += order.batch) {
          await opened.sendMany(Array.from({ length: Math.min(order.batch, order.count - sent) }, inputOf));
        }
        return { seconds: (performance.now() - beganMs) / 1000 };
      }
      case 'drained':
        while ((await opened.unfinished()) > 0) await pause(2);
        return {};
      case 'look':
      case 'used':
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
  const handlerMs = Number(process.env['BATON_BENCH_HANDLER_MS'] ?? 0);
  const reportStart = process.env['BATON_BENCH_TELLS'] === '1' ? startReporter() : () => undefined;
  const started = await contestant.startWorker(place, Number(concurrency), ({ sentAt }) => {
    const startedAt = performance.timeOrigin + performance.now();
    delays.push(startedAt - sentAt);
    reportStart(startedAt);
    if (hangs) return new Promise(() => undefined);
    return handlerMs > 0 ? pause(handlerMs) : undefined;
  });
  return async (order) => {
    if (order.do === 'stop') {
      await started.stop();
      return end();
    }
    if (order.do === 'used') return lookOf();
    const looked = { ...lookOf(), delays };
    delays = [];
    return looked;
  };
}

/** Reports the first start at once, and further starts together soon after. */
function startReporter(): (startedAt: number) => void {
  let started = 0;
  let isWaiting = false;
  return (startedAt) => {
    started += 1;
    if (isWaiting) return;
    isWaiting = true;
    process.send?.({ started, startedAt } satisfies Answer);
    const reported = started;
    setTimeout(() => {
      isWaiting = false;
      if (started > reported) process.send?.({ started } satisfies Answer);
    }, REPORT_EVERY_MS);
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
