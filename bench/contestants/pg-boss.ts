/**
 * https://pgboss.io/api/constructor and https://pgboss.io/api/workers: `useListenNotify` with `notify` on the queue starts a job
 * the moment it is sent instead of at the next poll, `burstWhenBatchFull` fetches again without a pause while batches come
 * back full. Half a second is the shortest poll there is; it finds what a notification missed. A batch of one never counts
 * as full, so a batch has two at least. A completed job stays for seven days.
 */
import { PgBoss } from 'pg-boss';
import type { Contestant, Input } from './contestant.ts';
import { openCount } from './open-count.ts';

const QUEUE = 'task';
const SECONDS = 0.5;

/** A batch is as many as may run at once. */
export const pgBoss: Contestant = contestantOf('pg-boss', (concurrency) => Math.max(2, concurrency));

/** Fetches and completes up to 500 at a time, all of them or none. */
export const pgBossBatched: Contestant = contestantOf('pg-boss, batched', () => 500);

function contestantOf(name: string, batchSize: (concurrency: number) => number): Contestant {
  return {
    name,
    keepsFinished: true,
    prepare: async (url) => {
      const boss = await start(url, false);
      await boss.createQueue(QUEUE, { notify: true });
      await boss.stop();
    },
    openProducer: async (url) => {
      const boss = await start(url, false);
      const open = openCount(url, `SELECT count(*)::int AS open FROM pgboss.job WHERE state < 'completed'`);
      return {
        send: async (input) => void (await boss.send(QUEUE, input)),
        sendMany: async (inputs) =>
          void (await boss.insert(
            QUEUE,
            inputs.map((data) => ({ data })),
          )),
        unfinished: open.count,
        close: async () => {
          await open.close();
          await boss.stop();
        },
      };
    },
    startWorker: async (url, concurrency, onStart) => {
      const boss = await start(url, true);
      const polling = {
        pollingIntervalSeconds: SECONDS,
        notifyPollingIntervalSeconds: SECONDS,
        burstWhenBatchFull: true,
      };
      await boss.work<Input>(QUEUE, { batchSize: batchSize(concurrency), ...polling }, async (jobs) => {
        for (const job of jobs) await onStart(job.data);
      });
      return { stop: () => boss.stop() };
    },
  };
}

/** Without the parts that look after schedules and old jobs, which have nothing to do here. */
async function start(url: string, useListenNotify: boolean): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: url, max: 10, supervise: false, schedule: false, useListenNotify });
  boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  return boss;
}
