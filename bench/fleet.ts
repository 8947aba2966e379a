/**
 * Baton on PostgreSQL beside graphile-worker and pg-boss: one server with real fsync, one producer and one worker
 * process, inputs of two kilobytes, in one run. Rates are full lives (sent, taken, finished) per second.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { privatePostgres, WITHOUT_POSTGRES, type PrivatePostgres } from '../test/support/private-postgres.ts';
import { CONTESTANTS } from './contestants/all.ts';
import { inputOf, type Contestant } from './contestants/contestant.ts';
import { median, percentile, ratio, tableOf } from './measure.ts';

const SCALE = Number(process.env['BATON_BENCH_SCALE'] ?? 1);
const ROUNDS = Number(process.env['BATON_BENCH_ROUNDS'] ?? 3);
/** Which of `lives`, `bulk` and `wake-up` to run, and beside whom, separated by semicolons; all unless said. */
const PARTS = process.env['BATON_BENCH_PARTS']?.split(';') ?? ['lives', 'bulk', 'wake-up'];
const NAMES = process.env['BATON_BENCH_NAMES']?.split(';') ?? CONTESTANTS.map(({ name }) => name);
const CONCURRENCIES = [1, 10, 50] as const;
/** Several seconds each: a run of one second measures how fast code is compiled. */
const LIVES: Record<number, number> = { 1: 3_000, 10: 12_000, 50: 24_000 };
const BULK = 10_000;
const BULK_BATCH = 1_000;
const WAKE_UPS = 100;
/** A fleet has been running for a while: connections are made and code is compiled while these arrive, without a pause. */
const WARM_UPS = 2_000;
const WAKE_UP_EVERY_MS = 100;

const server = await startServer();
let databases = 0;
const rows = new Map<string, Record<string, number>>();
const values = new Map<string, number[]>();
try {
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const contestant of CONTESTANTS.filter(({ name }) => NAMES.includes(name))) {
      process.stderr.write(`round ${round} of ${ROUNDS}: ${contestant.name}\n`);
      for (const [what, value] of Object.entries(await measure(contestant))) keep(contestant.name, what, value);
    }
  }
  report();
} finally {
  await server.remove();
}

async function startServer(): Promise<PrivatePostgres> {
  const started = await privatePostgres({
    fsync: true,
    settings: ['autovacuum=on', 'max_connections=120', 'shared_buffers=256MB'],
  });
  if (started === null) throw new Error(WITHOUT_POSTGRES);
  return started;
}

async function measure(contestant: Contestant): Promise<Record<string, number>> {
  const scale = SCALE * contestant.share;
  const results: Record<string, number> = {};
  for (const concurrency of PARTS.includes('lives') ? CONCURRENCIES : []) {
    results[`lives/s at ${concurrency}`] = await singles(
      contestant,
      concurrency,
      Math.ceil((LIVES[concurrency] ?? 0) * scale),
    );
  }
  if (PARTS.includes('bulk'))
    Object.assign(results, await bulk(contestant, Math.max(BULK_BATCH, Math.ceil(BULK * scale))));
  if (PARTS.includes('wake-up')) {
    Object.assign(results, await wakeUps(contestant, Math.ceil(WARM_UPS * scale), Math.ceil(WAKE_UPS * scale)));
  }
  return results;
}

/** Producers send one at a time each, while the worker is already there. */
async function singles(contestant: Contestant, concurrency: number, lives: number): Promise<number> {
  return withWorker(contestant, concurrency, lives, async (url, allStarted) => {
    const sender = await contestant.openSender(url);
    const beganMs = performance.now();
    let sent = 0;
    const lane = async (): Promise<void> => {
      while (sent < lives) {
        sent += 1;
        await sender.send(inputOf());
      }
    };
    await Promise.all(Array.from({ length: concurrency }, lane));
    await allStarted;
    await finished(contestant, url);
    const seconds = (performance.now() - beganMs) / 1000;
    await sender.close();
    return lives / seconds;
  });
}

/** Sent in batches with nobody there; then a worker with fifty hands drains it. */
async function bulk(contestant: Contestant, count: number): Promise<Record<string, number>> {
  const url = await fresh(contestant);
  const sender = await contestant.openSender(url);
  const sendBeganMs = performance.now();
  for (let sent = 0; sent < count; sent += BULK_BATCH) {
    await sender.sendMany(Array.from({ length: Math.min(BULK_BATCH, count - sent) }, inputOf));
  }
  const sendSeconds = (performance.now() - sendBeganMs) / 1000;
  await sender.close();
  const drainBeganMs = performance.now();
  const { child, allStarted } = await startWorker(contestant, url, 50, count);
  await allStarted;
  await finished(contestant, url);
  const drainSeconds = (performance.now() - drainBeganMs) / 1000;
  await stopWorker(child);
  return { 'bulk sends/s': count / sendSeconds, 'drained/s': count / drainSeconds };
}

async function wakeUps(contestant: Contestant, warmUps: number, count: number): Promise<Record<string, number>> {
  return withWorker(contestant, 1, warmUps + count, async (url, allStarted) => {
    const sender = await contestant.openSender(url);
    for (let sent = 0; sent < warmUps; sent += 1) await sender.send(inputOf());
    await finished(contestant, url);
    for (let sent = 0; sent < count; sent += 1) {
      await new Promise((resolve) => setTimeout(resolve, WAKE_UP_EVERY_MS));
      await sender.send(inputOf());
    }
    const delays = (await allStarted).slice(warmUps);
    await sender.close();
    return { 'wake-up p50 ms': percentile(delays, 50), 'wake-up p99 ms': percentile(delays, 99) };
  });
}

async function withWorker<Answer>(
  contestant: Contestant,
  concurrency: number,
  expected: number,
  act: (url: string, allStarted: Promise<readonly number[]>) => Promise<Answer>,
): Promise<Answer> {
  const url = await fresh(contestant);
  const { child, allStarted } = await startWorker(contestant, url, concurrency, expected);
  const answer = await act(url, allStarted);
  await stopWorker(child);
  return answer;
}

async function fresh(contestant: Contestant): Promise<string> {
  databases += 1;
  const url = await server.createDatabase(`bench_${databases}`);
  await contestant.prepare(url);
  return url;
}

async function startWorker(
  contestant: Contestant,
  url: string,
  concurrency: number,
  expected: number,
): Promise<{ readonly child: ChildProcess; readonly allStarted: Promise<readonly number[]> }> {
  const file = fileURLToPath(new URL('./fleet-worker.mjs', import.meta.url));
  const child = fork(file, [contestant.name, url, String(concurrency), String(expected)], {
    env: { ...process.env, NO_LOG_SUCCESS: '1', GRAPHILE_LOGGER_DEBUG: '' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let ready: () => void;
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const allStarted = new Promise<readonly number[]>((resolve, reject) => {
    child.on('message', (message: { readonly kind: string; readonly delays: readonly number[] }) => {
      if (message.kind === 'ready') ready();
      else resolve(message.delays);
    });
    child.once('exit', (code) => reject(new Error(`the worker of ${contestant.name} ended early (${code})`)));
  });
  allStarted.catch(() => undefined);
  await isReady;
  return { child, allStarted };
}

async function stopWorker(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.send('stop');
  await ended;
}

async function finished(contestant: Contestant, url: string): Promise<void> {
  while ((await contestant.unfinished(url)) > 0) await new Promise((resolve) => setTimeout(resolve, 2));
}

function keep(name: string, what: string, value: number): void {
  const row = rows.get(what) ?? {};
  values.set(`${what}/${name}`, [...(values.get(`${what}/${name}`) ?? []), value]);
  row[name] = median(values.get(`${what}/${name}`) ?? []);
  rows.set(what, row);
}

function report(): void {
  const names = CONTESTANTS.map((each) => each.name);
  const lines = [...rows].map(([what, row]) => [
    what,
    ...names.map((name) => (row[name] ?? Number.NaN).toFixed(what.includes('ms') ? 2 : 0)),
    ratio(what, row, ['graphile-worker', 'pg-boss']),
    ratio(what, row, ['graphile-worker, batched']),
  ]);
  process.stdout.write(`${tableOf(['', ...names, '× better of plain two', '× batched'], lines)}\n`);
  // A part of it is for whoever works on it; what is kept is whole.
  if (PARTS.length < 3 || NAMES.length < CONTESTANTS.length) return;
  mkdirSync('bench/results', { recursive: true });
  writeFileSync('bench/results/fleet.json', `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}
