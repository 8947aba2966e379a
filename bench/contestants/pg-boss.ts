import PgBoss from 'pg-boss';
import type { Contestant, Input } from './contestant.ts';

const QUEUE = 'task';

async function start(url: string): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: url, max: 10, supervise: false, schedule: false });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  return boss;
}

export const pgBoss: Contestant = {
  name: 'pg-boss',
  share: 0.01,
  prepare: async (url) => {
    const boss = await start(url);
    await boss.createQueue(QUEUE);
    await boss.stop({ graceful: true, wait: true });
  },
  openSender: async (url) => {
    const boss = await start(url);
    return {
      send: async (input) => void (await boss.send(QUEUE, input)),
      sendMany: async (inputs) => void (await boss.insert(inputs.map((data) => ({ name: QUEUE, data })))),
      close: async () => boss.stop({ graceful: true, wait: true }),
    };
  },
  startWorker: async (url, concurrency, onStart) => {
    const boss = await start(url);
    // It wakes by polling; half a second is the shortest it takes. A batch is as many as may run at once.
    await boss.work<Input>(QUEUE, { batchSize: concurrency, pollingIntervalSeconds: 0.5 }, async (jobs) => {
      for (const job of jobs) onStart(job.data);
    });
    return { stop: async () => boss.stop({ graceful: true, wait: true }) };
  },
  unfinished: async (url) => {
    const { default: postgres } = await import('postgres');
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    const [row] = await sql`SELECT count(*)::int AS open FROM pgboss.job WHERE state < 'completed'`;
    await sql.end();
    return row?.['open'] as number;
  },
};
