/**
 * https://worker.graphile.org/docs/performance shows the batching options below as those of its best figures. How large the
 * pool should be is said at `maxPoolSize` on https://worker.graphile.org/docs/config: 10, or two more than there are jobs at
 * once. A completed job is deleted; there is no option to keep it.
 */
import { makeWorkerUtils, run, runMigrations, type WorkerUtils } from 'graphile-worker';
import type { Contestant, Input } from './contestant.ts';
import { openCount } from './open-count.ts';

/** As it comes: each job is fetched and finished on its own. */
export const graphileWorker: Contestant = contestantOf('graphile-worker', {});

/** Fetches up to 500 jobs at a time, and finishes all that end in one turn of the event loop together. */
export const graphileWorkerBatched: Contestant = contestantOf('graphile-worker, batched', {
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
});

function contestantOf(name: string, batching: object): Contestant {
  return {
    name,
    keepsFinished: false,
    prepare: async (url) => runMigrations({ connectionString: url }),
    openProducer: async (url) => {
      const utils: WorkerUtils = await makeWorkerUtils({ connectionString: url, maxPoolSize: 10 });
      const open = openCount(url, 'SELECT count(*)::int AS open FROM graphile_worker.jobs');
      return {
        send: async (input) => void (await utils.addJob('task', input)),
        sendMany: async (inputs) => {
          await utils.addJobs(inputs.map((payload) => ({ identifier: 'task', payload })));
        },
        unfinished: open.count,
        close: async () => {
          await open.close();
          await utils.release();
        },
      };
    },
    startWorker: async (url, concurrency, onStart) => {
      const runner = await run({
        preset: {
          worker: {
            connectionString: url,
            concurrentJobs: concurrency,
            maxPoolSize: Math.max(10, concurrency + 2),
            ...batching,
          },
        },
        noHandleSignals: true,
        taskList: { task: async (payload) => onStart(payload as Input) },
      });
      return { stop: async () => runner.stop() };
    },
  };
}
