/** Starts the thread that beats for a session. */
import { messageOf } from '../../foundation/error-message.ts';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { ownModule } from '../../foundation/own-module.ts';
import type { SessionId } from '../../domain/names.ts';
import { HeartbeatFault } from '../../engine/heartbeat-fault.ts';
import type { Heartbeat } from '../../engine/context.ts';
import type { DatabaseAddress } from '../../workspace/database-address.ts';

export interface HeartbeatOptions {
  readonly database: DatabaseAddress;
  readonly session: SessionId;
  readonly everyMs: number;
  /** Where a thread that is only text looks for packages. */
  readonly requireFrom: string;
}

/** Messages to the thread. */
export type ToThread = 'stop' | 'pause' | 'go on';

/** Messages from the thread. `trouble`: the database could not be reached; the thread tries again. */
export type FromThread =
  | { readonly kind: 'ready' | 'lost' | 'paused' }
  | { readonly kind: 'trouble'; readonly says: string };

/** Several heartbeats fit into a lease: one late or lost heartbeat must not lose the work. */
const HEARTBEATS_PER_LEASE = 5;
/** A thread that has not reached the database by then is given up; a busy machine takes seconds to start one. */
const READY_TIMEOUT_MS = 30_000;
/** A thread answers between two heartbeats. Stopping the process does not wait longer than this. */
const PAUSE_TIMEOUT_MS = 500;

const threads = new Set<Worker>();

export function threadHeartbeat(database: DatabaseAddress, leaseMs: number): Heartbeat {
  return {
    start: async (session, { lost, failed }) => {
      // Only workers have one, and every command has to start.
      const { Worker: Thread } = await import('node:worker_threads');
      const { HEARTBEAT_SOURCE: source } = await import('./heartbeat-source.ts');
      const order: HeartbeatOptions = {
        database,
        session,
        everyMs: leaseMs / HEARTBEATS_PER_LEASE,
        requireFrom: ownModule(),
      };
      const thread = startThread(() =>
        source === null
          ? new Thread(threadFile(), { workerData: order })
          : new Thread(source, { workerData: order, eval: true }),
      );
      threads.add(thread);
      let stopped = false;
      let fault: HeartbeatFault | null = null;
      const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
      thread.once('error', (error: unknown) => {
        fault = broken(error);
      });
      void ended.then(() => threads.delete(thread));
      const stop = async (): Promise<void> => {
        stopped = true;
        thread.ref();
        send(thread, 'stop');
        await ended;
      };
      try {
        await untilReady(thread, ended, () => fault ?? broken('it ended by itself'));
      } catch (error) {
        await stop();
        throw error;
      }
      thread.on('message', ({ kind }: FromThread) => {
        if (kind === 'lost' && !stopped) lost();
      });
      void ended.then(() => {
        if (!stopped) failed(fault ?? broken('it ended by itself'));
      });
      // The thread alone is no reason to stay.
      thread.unref();
      return { stop };
    },
  };
}

/** Resolves when no thread sends a heartbeat and none will begin, so that the process can be stopped. */
export async function pauseHeartbeats(): Promise<void> {
  await Promise.all([...threads].map(pause));
}

export function continueHeartbeats(): void {
  for (const thread of threads) send(thread, 'go on');
}

async function pause(thread: Worker): Promise<void> {
  await new Promise<void>((resolve) => {
    const limit = setTimeout(resolve, PAUSE_TIMEOUT_MS);
    thread.on('message', ({ kind }: FromThread) => {
      if (kind !== 'paused') return;
      clearTimeout(limit);
      resolve();
    });
    send(thread, 'pause');
  });
}

async function untilReady(thread: Worker, ended: Promise<void>, fault: () => HeartbeatFault): Promise<void> {
  let lastError = 'it did not answer';
  await new Promise<void>((resolve, reject) => {
    const limit = setTimeout(() => {
      reject(new Error(`nothing beats for this session after ${READY_TIMEOUT_MS / 1000} s: ${lastError}`));
    }, READY_TIMEOUT_MS);
    thread.on('message', (said: FromThread) => {
      if (said.kind === 'trouble') lastError = said.says;
      if (said.kind !== 'ready') return;
      clearTimeout(limit);
      resolve();
    });
    void ended.then(() => {
      clearTimeout(limit);
      reject(fault());
    });
  });
}

function startThread(start: () => Worker): Worker {
  try {
    return start();
  } catch (error) {
    throw broken(error);
  }
}

function broken(why: unknown): HeartbeatFault {
  const says = messageOf(why);
  const text = `the heartbeat thread does not run (${says}), and without it a worker loses what it holds`;
  return new HeartbeatFault(text, { cause: why });
}

function send(thread: Worker, message: ToThread): void {
  thread.postMessage(message);
}

/** Beside the bundle, or (when run from the sources) in the build. */
const PLACES = ['./heartbeat-thread.mjs', '../heartbeat-thread.mjs', '../../../dist/heartbeat-thread.mjs'];

function threadFile(): string {
  const files = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const file = files.find((candidate) => existsSync(candidate));
  if (file === undefined) throw new Error(`its file is missing; looked for ${files.join(', ')}`);
  return file;
}
