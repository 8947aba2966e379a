/** A store with effects in it, time in our hands, and a receiver on a port of this machine. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Timers } from '../../src/foundation/clock.ts';
import type { Json } from '../../src/foundation/json.ts';
import type { Effect } from '../../src/domain/decision.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { NO_RULES, type EngineEvent, type Context } from '../../src/engine/context.ts';
import { openMemoryStore } from '../../src/stores/memory/memory-store.ts';
import { jsonOf, openingOf } from '../contract/builders.ts';
import { ALL, put } from '../contract/store-checks.ts';
import { manualClock, type ManualClock } from '../contract/manual-clock.ts';

export interface OutboxWorld {
  readonly ctx: Context;
  readonly clock: ManualClock;
  readonly events: EngineEvent[];
  /** Time passes: sleepers whose time has come wake up. */
  readonly pass: (ms: number) => void;
  readonly add: (...effects: readonly Effect[]) => Promise<void>;
  readonly dueKeys: () => Promise<readonly string[]>;
}

export function outboxWorld(): OutboxWorld {
  const clock = manualClock();
  const sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  const timers: Timers = {
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const wake = (): void => {
          sleepers.delete(sleeper);
          resolve();
        };
        const sleeper = { atMs: clock.monotonicMs() + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake, { once: true });
      }),
  };
  const store = openMemoryStore({ clock, limits: NO_LIMITS, timers });
  const events: EngineEvent[] = [];
  // Half of the way between the extremes of jitter: pauses are what they are planned to be.
  const random = { bytes: (count: number) => new Uint8Array(count), unit: () => 0.5 };
  const unused = undefined as never;
  let made = 0;
  return {
    clock,
    events,
    ctx: {
      store,
      clock,
      timers,
      random,
      liveness: unused,
      heartbeat: unused,
      rules: NO_RULES,
      leaseMs: 1,
      report: (event) => void events.push(event),
    },
    pass: (ms) => {
      clock.advance(ms);
      for (const sleeper of sleepers) if (sleeper.atMs <= clock.monotonicMs()) sleeper.wake();
    },
    add: async (...effects) => {
      made += 1;
      await put(store, openingOf({ id: `h-${made}`, effects }));
    },
    dueKeys: async () => (await store.outbox.due(ALL)).map(({ key }) => key),
  };
}

export function effectOf(key: string, kind = 'test', payload: Json = null): Effect {
  return { key, kind, payload: jsonOf(payload) };
}

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Receiver {
  readonly port: number;
  readonly received: Received[];
  stop(): Promise<void>;
}

/** Answers 200, unless told otherwise. */
export async function receiver(
  answer: (response: ServerResponse, count: number) => void = (response) => void response.end(),
  port = 0,
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      received.push({ method, path, headers, text: Buffer.concat(chunks).toString() });
      answer(response, received.length);
    });
  });
  await new Promise<void>((listening) => void server.listen(port, '127.0.0.1', listening));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((closed) => void server.close(closed));
  };
  onTestFinished(stop);
  return { port: (server.address() as AddressInfo).port, received, stop };
}
