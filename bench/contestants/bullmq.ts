import { Queue, QueueEvents, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { inputOf, type Input } from './contestant.ts';
import { callers, type EmbeddedContestant } from './embedded.ts';

const QUEUE = 'task';

const connectionTo = (place: string) => {
  const { hostname, port } = new URL(place);
  return { host: hostname, port: Number(port), maxRetriesPerRequest: null };
};

/** All settings are its own; nothing is removed when it is completed, as with us. */
export const bullmq: EmbeddedContestant = {
  name: 'BullMQ',
  prepare: async (place) => {
    const client = new Redis(place);
    await client.flushall();
    await client.quit();
  },
  openProducer: async (place) => {
    const connection = connectionTo(place);
    const queue = new Queue<Input>(QUEUE, { connection });
    const events = new QueueEvents(QUEUE, { connection });
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
