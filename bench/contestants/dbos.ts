/**
 * https://docs.dbos.dev/typescript/tutorials/queue-tutorial: a queue with a limit per process (`workerConcurrency`, which asks for
 * an executor id of its own for each process). Workers find work by polling only; `minPollingIntervalMs` of
 * https://docs.dbos.dev/typescript/reference/queues says how often, a second unless told. There is no call that enqueues
 * many; many in one transaction (`enqueueInTransaction` of https://docs.dbos.dev/typescript/reference/client) is the
 * fastest it has. What is finished stays until somebody deletes it.
 */
import { randomUUID } from 'node:crypto';
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import type { Contestant, Input } from './contestant.ts';
import { openCount } from './open-count.ts';

const APPLICATION = 'bench';
const TASK = { queueName: 'task', workflowName: 'task' };
/** Better than 5 for one worker with one slot, and equal with more slots; many workers that poll so often slow each other down. */
const POLLING_MS = 1;
const SILENT = {
  info: ignore,
  debug: ignore,
  warn: ignore,
  error: (entry: unknown) => process.stderr.write(`DBOS: ${entry}\n`),
};

type Task = (input: Input) => Promise<null>;

export const dbos: Contestant = {
  name: 'DBOS',
  keepsFinished: true,
  prepare: async (url) => {
    await launch(url, 1, () => undefined);
    await DBOS.shutdown({ deregister: true });
  },
  openProducer: async (url) => {
    const client = await DBOSClient.create({ systemDatabaseUrl: url, applicationName: APPLICATION, logger: SILENT });
    const bulk = new pg.Client({ connectionString: url });
    await bulk.connect();
    const open = openCount(
      url,
      `SELECT count(*)::int AS open FROM dbos.workflow_status WHERE status IN ('ENQUEUED', 'PENDING')`,
    );
    return {
      send: async (input) => void (await client.enqueue<Task>(TASK, input)),
      sendMany: async (inputs) => {
        await bulk.query('BEGIN');
        await Promise.all(inputs.map((input) => client.enqueueInTransaction<Task>(bulk, TASK, input)));
        await bulk.query('COMMIT');
      },
      unfinished: open.count,
      close: async () => {
        await open.close();
        await bulk.end();
        await client.destroy();
      },
    };
  },
  startWorker: async (url, concurrency, onStart) => {
    await launch(url, concurrency, onStart);
    return { stop: () => DBOS.shutdown() };
  },
};

async function launch(
  url: string,
  workerConcurrency: number,
  onStart: (input: Input) => Promise<void> | void,
): Promise<void> {
  const task: Task = async (input) => {
    await onStart(input);
    return null;
  };
  DBOS.registerWorkflow(task, { name: TASK.workflowName });
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: url,
    executorID: randomUUID(),
    applicationVersion: '1',
    logger: SILENT,
  });
  await DBOS.launch();
  await DBOS.registerQueue(TASK.queueName, {
    workerConcurrency,
    minPollingIntervalMs: POLLING_MS,
    onConflict: 'always_update',
  });
}

function ignore(): void {}
