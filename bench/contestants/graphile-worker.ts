import { makeWorkerUtils, run, runMigrations, type WorkerUtils } from 'graphile-worker';
import type { Contestant, Input } from './contestant.ts';

/** As it comes: each job is fetched and finished on its own. */
export const graphileWorker: Contestant = contestantOf('graphile-worker', () => ({}));

/** With its batching options, as its page on performance recommends them. */
export const graphileWorkerBatched: Contestant = contestantOf('graphile-worker, batched', (concurrency) => ({
  localQueue: { size: Math.max(500, concurrency + 1) },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
}));

function contestantOf(name: string, extra: (concurrency: number) => object): Contestant {
  return {
    name,
    share: 1,
    prepare: async (url) => runMigrations({ connectionString: url }),
    openSender: async (url) => {
      const utils: WorkerUtils = await makeWorkerUtils({ connectionString: url, maxPoolSize: 10 });
      return {
        send: async (input) => void (await utils.addJob('task', input)),
        sendMany: async (inputs) => {
          await utils.addJobs(inputs.map((payload) => ({ identifier: 'task', payload })));
        },
        close: async () => void (await utils.release()),
      };
    },
    startWorker: async (url, concurrency, onStart) => {
      const runner = await run({
        preset: {
          worker: {
            connectionString: url,
            concurrentJobs: concurrency,
            maxPoolSize: Math.min(concurrency + 2, 50),
            ...extra(concurrency),
          },
        },
        noHandleSignals: true,
        taskList: { task: async (payload) => onStart(payload as Input) },
      });
      return { stop: async () => runner.stop() };
    },
    unfinished: async (url) => {
      const { default: postgres } = await import('postgres');
      const sql = postgres(url, { max: 1, onnotice: () => undefined });
      const [row] = await sql`SELECT count(*)::int AS open FROM graphile_worker.jobs`;
      await sql.end();
      return row?.['open'] as number;
    },
  };
}
