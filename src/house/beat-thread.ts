/**
 * Beats for one worker session, in a thread of its own: a handler that keeps the event loop busy for longer than the
 * lease keeps its handoff all the same. Only a process that is stopped or dead falls silent.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { BeatOrder } from './heartbeat.ts';

type Beat = () => Promise<boolean>;

const order = workerData as BeatOrder;
const beat = await openBeat(order);
let stopped = false;
parentPort?.on('message', () => {
  stopped = true;
  process.exit(0);
});

while (!stopped) {
  const lives = await beat().catch(() => null);
  if (lives === false) {
    parentPort?.postMessage('lost');
    break;
  }
  // A beat that did not get through is tried again soon; the lease has room for several.
  await new Promise((resolve) => setTimeout(resolve, lives === null ? order.everyMs / 10 : order.everyMs));
}

async function openBeat({ database, session }: BeatOrder): Promise<Beat> {
  if (database.kind === 'postgres') {
    const { openPostgresBeat } = await import('../stores/postgres/beat.ts');
    return (await openPostgresBeat(database.url, session)).beat;
  }
  const { openSqliteBeat } = await import('../stores/sqlite/beat.ts');
  return openSqliteBeat(database.path, session);
}
