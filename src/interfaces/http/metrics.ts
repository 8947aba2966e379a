/** For Prometheus: what the tally counts, what the socket sees, and how the process is. */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Clock } from '../../foundation/clock.ts';
import type { FeedWatch } from '../../engine/feed-blockers.ts';
import type { Counters } from './counters.ts';

export interface Metrics {
  /** In the form that Prometheus reads. */
  text(): Promise<string>;
  readonly contentType: string;
  answered(method: string, status: number): void;
  listening(by: 1 | -1): void;
}

export function openMetrics(tally: Counters, clock: Clock, feed: Pick<FeedWatch, 'heldForMs'>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Counter({
    name: 'baton_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['method', 'status'],
    registers,
  });
  const listeners = new Gauge({ name: 'baton_listeners', help: 'Who listens to events now.', registers });
  const held: Gauge = new Gauge({
    name: 'baton_feed_held_seconds',
    help: 'How long an open transaction has kept new facts from the feed; 0 while none does.',
    registers,
    collect: () => held.set(feed.heldForMs() / 1000),
  });
  addCounted(registers, tally);
  addOpen(registers, tally, clock);
  return {
    text: () => registry.metrics(),
    contentType: registry.contentType,
    // Any word can be a method; only those that are done here get a line of their own.
    answered: (method, status) => requests.inc({ method: METHODS.includes(method) ? method : 'other', status }),
    listening: (by) => listeners.inc(by),
  };
}

const METHODS = ['GET', 'HEAD', 'POST', 'DELETE'];

function addCounted(registers: Registry[], tally: Counters): void {
  const counted = (
    name: string,
    help: string,
    labelNames: readonly string[],
    values: () => Iterable<readonly [readonly string[], number]>,
  ): void => {
    const counter: Counter = new Counter({
      name,
      help,
      labelNames,
      registers,
      collect: () => {
        counter.reset();
        for (const [labels, value] of values()) {
          counter.inc(Object.fromEntries(labelNames.map((label, index) => [label, labels[index] ?? ''])), value);
        }
      },
    });
  };
  counted('baton_facts_total', 'What happened since the server started.', ['deed', 'to'], () =>
    [...tally.sinceStart().facts].map(([key, count]) => [key.split(' '), count] as const),
  );
  counted('baton_failures_total', 'Attempts that failed, by code.', ['code'], () =>
    [...tally.sinceStart().failures].map(([code, count]) => [[code], count] as const),
  );
  counted('baton_state_seconds_sum', 'Time spent in states that were left.', ['state'], () =>
    [...tally.sinceStart().timeIn].map(([state, { totalMs }]) => [[state], totalMs / 1000] as const),
  );
  counted('baton_state_seconds_count', 'How often a state was left.', ['state'], () =>
    [...tally.sinceStart().timeIn].map(([state, { count }]) => [[state], count] as const),
  );
}

function addOpen(registers: Registry[], tally: Counters, clock: Clock): void {
  const open: Gauge = new Gauge({
    name: 'baton_open_handoffs',
    help: 'Handoffs that are not settled.',
    labelNames: ['state'],
    registers,
    collect: () => {
      for (const [state, count] of Object.entries(tally.open())) open.set({ state }, count);
    },
  });
  const oldest: Gauge = new Gauge({
    name: 'baton_oldest_waiting_seconds',
    help: 'How long the one that waits longest for an agent has waited.',
    labelNames: ['agent'],
    registers,
    collect: () => {
      oldest.reset();
      for (const [agent, { waitingSince }] of tally.loads()) {
        if (waitingSince !== null) oldest.set({ agent }, Math.max(0, clock.nowMs() - waitingSince) / 1000);
      }
    },
  });
}
