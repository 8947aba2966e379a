/** Starts the thread that beats for a session. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SessionId } from '../domain/names.ts';
import type { Heartbeat } from '../engine/surroundings.ts';
import type { DatabaseAddress } from './database-address.ts';

export interface BeatOrder {
  readonly database: DatabaseAddress;
  readonly session: SessionId;
  readonly everyMs: number;
}

/** Several beats fit into a lease, so that one that is late or lost is no reason to lose the work. */
const BEATS_PER_LEASE = 5;

export function threadHeartbeat(database: DatabaseAddress, leaseMs: number): Heartbeat {
  return {
    start: async (session, lost) => {
      // Only workers have one, and every command has to start.
      const { Worker } = await import('node:worker_threads');
      const order: BeatOrder = { database, session, everyMs: leaseMs / BEATS_PER_LEASE };
      const thread = new Worker(threadFile(), { workerData: order });
      let stopped = false;
      const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
      thread.once('message', lost);
      thread.once('error', (error) => {
        // Without beats the session would be lost without a word; losing it loudly is better.
        if (!stopped) lost();
        process.emitWarning(`the heartbeat stopped: ${String(error)}`);
      });
      // The thread alone is no reason to stay.
      thread.unref();
      return {
        stop: async () => {
          stopped = true;
          thread.ref();
          thread.postMessage('stop');
          await ended;
        },
      };
    },
  };
}

/** Beside the library's files, beside the bundle, or (when run from the sources) in the build. */
const PLACES = ['./beat-thread.js', './beat-thread.mjs', '../beat-thread.mjs', '../../dist/beat-thread.mjs'];

function threadFile(): string {
  const files = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const file = files.find((candidate) => existsSync(candidate));
  if (file === undefined) throw new Error(`the heartbeat thread is missing; looked for ${files.join(', ')}`);
  return file;
}
