/**
 * Sends the heartbeats of one worker session from a thread: a handler may block the event loop for longer than the lease
 * and still keep its handoff. Only a stopped or dead process stops sending.
 */
import { messageOf } from '../../foundation/error-message.ts';
import { parentPort, workerData } from 'node:worker_threads';
import type { HeartbeatOptions, FromThread, ToThread } from './heartbeat.ts';

type Beat = () => Promise<boolean>;

const order = workerData as HeartbeatOptions;
/** A beat that did not get through is tried again soon; the lease has room for several. */
const soonMs = order.everyMs / 10;
let beat: Beat | null = null;
const pausing: { until: Promise<void> | null; end: () => void } = { until: null, end: () => undefined };

parentPort?.on('message', (message: ToThread) => {
  if (message === 'stop') process.exit(0);
  if (message === 'pause') {
    // A beat on SQLite is one statement without a pause in it: this runs before or after, never within.
    pausing.until ??= new Promise((resolve) => {
      pausing.end = resolve;
    });
    say({ kind: 'paused' });
  } else {
    pausing.until = null;
    pausing.end();
  }
});

// A function and not the top level: as text inside another bundle this is no module.
void sendHeartbeats();

async function sendHeartbeats(): Promise<void> {
  for (;;) {
    await pausing.until;
    const lives = await trySendHeartbeat();
    if (lives === false) return say({ kind: 'lost' });
    await new Promise((resolve) => setTimeout(resolve, lives === null ? soonMs : order.everyMs));
  }
}

/** Null: it did not get through. */
async function trySendHeartbeat(): Promise<boolean | null> {
  try {
    if (beat === null) {
      beat = await openHeartbeat(order);
      say({ kind: 'ready' });
    }
    return await beat();
  } catch (error) {
    say({ kind: 'trouble', says: messageOf(error) });
    return null;
  }
}

function say(said: FromThread): void {
  parentPort?.postMessage(said);
}

async function openHeartbeat({ database, session }: HeartbeatOptions): Promise<Beat> {
  if (database.kind === 'postgres') {
    const { openPostgresBeat } = await import('../../stores/postgres/heartbeat.ts');
    return (await openPostgresBeat(database.url, session)).beat;
  }
  const { openSqliteBeat } = await import('../../stores/sqlite/heartbeat.ts');
  return openSqliteBeat(database.path, session);
}
