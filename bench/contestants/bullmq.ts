/**
 * https://docs.bullmq.io/guide/workers/concurrency: one worker with as many concurrent jobs as slots;
 * https://docs.bullmq.io/guide/queues/adding-bulks: many in one call. All other settings are its own. The append-only file that
 * https://docs.bullmq.io/guide/going-to-production recommends is synced at every write (`private-redis.ts`): once a second, as
 * that page has it, would promise less than the others here. Nothing is removed when it is completed.
 */
import { Queue, QueueEvents, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { callers, inputOf, type Contestant, type Input } from './contestant.ts';

const QUEUE = 'task';

const connectionTo = (place: string) => {
  const { hostname, port } = new URL(place);
  return { host: hostname, port: Number(port), maxRetriesPerRequest: null };
};

export const bullmq: Contestant = {
  name: 'BullMQ',
  keepsFinished: true,
  prepare: async (place) => {
    const client = new Redis(place);
    await client.flushall();
    await client.quit();
  },
  openProducer: async (place) => {
    const connection = connectionTo(place);
    const queue = new Queue<Input>(QUEUE, { connection });
    // From the beginning: by default it hears what happens once it listens, and a job that ends before is waited for without end.
    const events = new QueueEvents(QUEUE, { connection, lastEventId: '0' });
    events.setMaxListeners(0);
    queue.setMaxListeners(0);
    await Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
    return {
      lives: (concurrency, count) =>
        callers(concurrency, count, async () => {
          const job = await queue.add('task', inputOf());
          await job.waitUntilFinished(events);
        }),
      send: async (input) => void (await queue.add('task', input)),
      sendMany: async (inputs) => void (await queue.addBulk(inputs.map((data) => ({ name: 'task', data })))),
      unfinished: async () => {
        const counts = await queue.getJobCounts('wait', 'active', 'delayed');
        return Object.values(counts).reduce((sum, count) => sum + count, 0);
      },
      close: async () => {
        await events.close();
        await queue.close();
      },
    };
  },
  startWorker: async (place, concurrency, onStart) => {
    const worker = new Worker<Input, null>(
      QUEUE,
      async ({ data }) => {
        await onStart(data);
        return null;
      },
      { connection: connectionTo(place), concurrency },
    );
    worker.on('error', (error) => process.stderr.write(`BullMQ: ${error.message}\n`));
    await worker.waitUntilReady();
    return { stop: () => worker.close() };
  },
};
