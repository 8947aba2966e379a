/**
 * Metrics for Prometheus: counted facts, requests, and the process. Written by hand, because the text format has three lines
 * for each metric (docs/decisions/017-what-we-write-ourselves.md).
 */
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../../foundation/clock.ts';
import type { FeedWatch } from '../../engine/feed-blockers.ts';
import type { Counters } from './counters.ts';
import { METHODS } from './request-guard.ts';

type Sample = readonly [labelValues: readonly string[], value: number];

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly labels: readonly string[];
  readonly samples: () => Iterable<Sample>;
}

export type Metrics = ReturnType<typeof openMetrics>;

export function openMetrics(counters: Counters, clock: Clock, feed: Pick<FeedWatch, 'heldForMs'>) {
  const requests = new Map<string, number>();
  let listeners = 0;
  const metrics: readonly Metric[] = [
    ...processMetrics(),
    metric('counter', 'baton_http_requests_total', 'Answered requests.', ['method', 'status'], () => byWords(requests)),
    gauge('baton_listeners', 'Open event streams.', () => listeners),
    gauge(
      'baton_feed_held_seconds',
      'How long an open transaction has delayed new facts in the feed; 0 while none does.',
      () => feed.heldForMs() / 1000,
    ),
    ...countedMetrics(counters),
    ...openHandoffMetrics(counters, clock),
  ];
  return {
    /** In the text format of Prometheus. */
    text: () => metrics.map(textOf).join(''),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    // A client can send any method; unknown ones share one line.
    answered: (method: string, status: number): void => {
      const key = `${METHODS.includes(method) ? method : 'other'} ${status}`;
      requests.set(key, (requests.get(key) ?? 0) + 1);
    },
    listening: (by: 1 | -1): void => {
      listeners += by;
    },
  };
}

function textOf({ name, help, type, labels, samples }: Metric): string {
  const lines = [...samples()].map(([values, value]) => {
    const pairs = labels.map((label, index) => `${label}="${escaped(values[index] ?? '').replaceAll('"', '\\"')}"`);
    return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
  });
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function metric(
  type: Metric['type'],
  name: string,
  help: string,
  labels: readonly string[],
  samples: () => Iterable<Sample>,
): Metric {
  return { type, name, help, labels, samples };
}

/** A number of its own, without labels. */
function gauge(name: string, help: string, value: () => number): Metric {
  return metric('gauge', name, help, [], () => [[[], value()]]);
}

/** Keys are label values joined by spaces; no value contains one. */
function byWords(counts: ReadonlyMap<string, number>): Sample[] {
  return [...counts].map(([key, count]) => [key.split(' '), count]);
}

/** With the names that dashboards for Node use. */
function processMetrics(): readonly Metric[] {
  const delay = monitorEventLoopDelay();
  delay.enable();
  const lagSeconds = (percentile: number): number => delay.percentile(percentile) / 1e9;
  const startedAt = Math.round(Date.now() / 1000 - process.uptime());
  return [
    metric('counter', 'process_cpu_seconds_total', 'CPU time of the server, in seconds.', [], () => {
      const { user, system } = process.cpuUsage();
      return [[[], (user + system) / 1e6]];
    }),
    gauge('process_start_time_seconds', 'When the server started, in seconds since 1970.', () => startedAt),
    gauge('process_resident_memory_bytes', 'Resident memory of the server.', () => process.memoryUsage.rss()),
    metric('gauge', 'process_open_fds', 'Open file descriptors; only where /proc is available.', [], () => {
      try {
        return [[[], readdirSync('/proc/self/fd').length]];
      } catch {
        return [];
      }
    }),
    gauge('nodejs_heap_size_used_bytes', 'Used JavaScript heap.', () => process.memoryUsage().heapUsed),
    gauge('nodejs_eventloop_lag_p50_seconds', 'Event loop delay, median.', () => lagSeconds(50)),
    gauge('nodejs_eventloop_lag_p99_seconds', 'Event loop delay, 99th percentile.', () => lagSeconds(99)),
    metric('gauge', 'nodejs_version_info', 'The version of Node.', ['version'], () => [[[process.version], 1]]),
  ];
}

function countedMetrics(counters: Counters): readonly Metric[] {
  return [
    metric('counter', 'baton_facts_total', 'Facts since the server started.', ['deed', 'to'], () =>
      byWords(counters.sinceStart().facts),
    ),
    metric('counter', 'baton_failures_total', 'Attempts that failed, by code.', ['code'], () =>
      [...counters.sinceStart().failures].map(([code, count]): Sample => [[code], count]),
    ),
    metric(
      'counter',
      'baton_state_seconds_sum',
      'Time that handoffs spent in a state before they left it.',
      ['state'],
      () => [...counters.sinceStart().timeIn].map(([state, { totalMs }]): Sample => [[state], totalMs / 1000]),
    ),
    metric('counter', 'baton_state_seconds_count', 'How often handoffs left a state.', ['state'], () =>
      [...counters.sinceStart().timeIn].map(([state, { count }]): Sample => [[state], count]),
    ),
  ];
}

const OLDEST_HELP = 'Age of the oldest handoff that waits for an agent.';

function openHandoffMetrics(counters: Counters, clock: Clock): readonly Metric[] {
  return [
    metric('gauge', 'baton_open_handoffs', 'Open handoffs.', ['state'], () =>
      Object.entries(counters.open()).map(([state, count]): Sample => [[state], count]),
    ),
    metric('gauge', 'baton_oldest_waiting_seconds', OLDEST_HELP, ['agent'], () =>
      [...counters.loads()].flatMap(([agent, { waitingSince }]): Sample[] =>
        waitingSince === null ? [] : [[[agent], Math.max(0, clock.nowMs() - waitingSince) / 1000]],
      ),
    ),
  ];
}
