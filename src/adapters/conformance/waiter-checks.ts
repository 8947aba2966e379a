/** What a waiter has to do. */
import { setTimeout as pause } from 'node:timers/promises';
import { aRequest, outputSummary, type TestQueue, type Finished } from './test-queue.ts';
import type { ConformanceCheck } from './queue-conformance.ts';

const AGENT = '@counter';
const ANSWER = { words: 2 };
const COMPLETED = { status: 'completed', completed_at: '2026-01-13T10:05:00Z', output: { content: ANSWER } };
const REASON = 'the clay is too dry';
/** Longer than the poll interval of most waiters; the start time of the program is measured. */
const WRITE_DELAY_MS = 600;
const START_FACTOR = 3;

export const WAITER_CHECKS: readonly ConformanceCheck[] = [
  {
    name: 'answer',
    expects: 'prints the answer of a completed handoff and ends with 0',
    async run(bench) {
      const { ended } = bench.start('wait', 'done');
      bench.put('completed', 'done', aRequest('done', AGENT, COMPLETED));
      return problemInAnswer(await ended);
    },
  },
  {
    name: 'failure',
    expects: 'says why a handoff failed and does not end with 0',
    async run(bench) {
      const error = { code: 'PROCESSING_ERROR', message: REASON };
      bench.put('failed', 'bad', aRequest('bad', AGENT, { status: 'failed', error }));
      return problemInFailure(await bench.run('wait', 'bad'));
    },
  },
  {
    name: 'refusal',
    expects: 'understands a failure without more than an error message',
    async run(bench) {
      bench.put('failed', 'bad', { handoff_id: 'bad', status: 'failed', error: { code: 'X', message: REASON } });
      return problemInFailure(await bench.run('wait', 'bad'));
    },
  },
  {
    name: 'moved first',
    expects: 'waits for the answer of a worker that moves its file first and writes after',
    run: async (bench) => written(bench, JSON.stringify(aRequest('slow', AGENT, { status: 'in_progress' }))),
  },
  {
    name: 'half a file',
    expects: 'waits while a file is being written',
    run: async (bench) => written(bench, JSON.stringify(aRequest('slow', AGENT, COMPLETED)).slice(0, 80)),
  },
];

/** First this text, then the whole answer. */
async function written(bench: TestQueue, first: string): Promise<string | null> {
  bench.put('completed', 'ready', aRequest('ready', AGENT, COMPLETED));
  const beganMs = performance.now();
  await bench.run('wait', 'ready');
  const startMs = performance.now() - beganMs;
  bench.write('completed', 'slow.json', first);
  const { child, ended } = bench.start('wait', 'slow');
  // By then it has looked at least once.
  await Promise.race([pause(WRITE_DELAY_MS + START_FACTOR * startMs), ended]);
  if (child.exitCode !== null) return `it did not wait: ${outputSummary(await ended)}`;
  bench.write('completed', 'slow.json', JSON.stringify(aRequest('slow', AGENT, COMPLETED)));
  return problemInAnswer(await ended);
}

function problemInAnswer(ended: Finished): string | null {
  if (ended.code !== 0) return outputSummary(ended);
  return /"?words"?\s*[:=]\s*2/.test(ended.stdout)
    ? null
    : `the answer ${JSON.stringify(ANSWER)} is not in what it prints: ${ended.stdout.trim().slice(0, 200)}`;
}

function problemInFailure(ended: Finished): string | null {
  if (ended.code === 0) return 'it ended with 0, as if the handoff were completed';
  if (ended.code === null) return outputSummary(ended);
  return `${ended.stdout}${ended.stderr}`.includes(REASON) ? null : `the reason is not told: ${outputSummary(ended)}`;
}
