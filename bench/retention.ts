/**
 * Claims beside a prune, on a database with a million finished handoffs: short windows, turn by turn, with and without a
 * process that prunes. Answers how many lives a second there are in each, and how long one claim takes.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { openApp } from '../src/app/open-app.ts';
import { SESSION_LEASE_MS } from '../src/domain/deadlines.ts';
import type { Store } from '../src/stores/store.ts';
import { stateNumber, stepNumber } from '../src/stores/stored-numbers.ts';
import type { DatabaseAddress } from '../src/workspace/database-address.ts';
import { acceptBy, deliverAndVerify, openingOf, processOf, SESSION, WORKER } from '../test/contract/builders.ts';
import { privatePostgres, WITHOUT_POSTGRES } from '../test/support/private-postgres.ts';
import { databaseIn } from './contestants/baton-sqlite.ts';
import { inputOf } from './contestants/contestant.ts';
import { fill } from './fill-sqlite.ts';
import { median, percentile, tableOf } from './measure.ts';

const SCALE = Number(process.env['BATON_BENCH_SCALE'] ?? 1);
const FINISHED = Math.ceil(1_000_000 * SCALE);
const PAIRS = Number(process.env['BATON_BENCH_ROUNDS'] ?? 15);
const WINDOW_MS = Math.max(500, 4_000 * Math.min(1, SCALE * 10));
const NAMES = process.env['BATON_BENCH_NAMES']?.split(';') ?? ['sqlite', 'postgres'];

let sent = 0;
const folder = mkdtempSync(join(tmpdir(), 'baton-bench-'));
try {
  if (NAMES.includes('sqlite')) {
    const place = join(folder, 'sqlite');
    fill(place, FINISHED);
    await measure('SQLite', { kind: 'sqlite', path: databaseIn(place) });
  }
  if (NAMES.includes('postgres')) {
    const server = await privatePostgres({
      fsync: true,
      settings: ['autovacuum=on', 'max_connections=60', 'shared_buffers=256MB'],
    });
    if (server === null) throw new Error(WITHOUT_POSTGRES);
    try {
      const url = await server.createDatabase('retention');
      await (await openApp({ database: { kind: 'postgres', url } })).close();
      await fillPostgres(url, FINISHED);
      await measure('PostgreSQL', { kind: 'postgres', url });
    } finally {
      await server.remove();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface Window {
  readonly rate: number;
  /** Processor time of this process for one life. */
  readonly cpuMs: number;
  readonly claimsMs: readonly number[];
}

async function measure(name: string, database: DatabaseAddress): Promise<void> {
  const { ctx, close } = await openApp({ database });
  const { store } = ctx;
  await store.sessions.open({ id: SESSION, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
  const pruner = fork(fileURLToPath(new URL('./retention-pruner.mjs', import.meta.url)), [
    JSON.stringify(database),
    join(folder, `archive-${name}`),
  ]);
  await nextMessage(pruner);
  await livesFor(store, WINDOW_MS);
  const [alone, beside]: [Window[], Window[]] = [[], []];
  let removed = 0;
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const runs = [
      async () => void alone.push(await livesFor(store, WINDOW_MS)),
      async () => {
        pruner.send('go');
        beside.push(await livesFor(store, WINDOW_MS));
        pruner.send('halt');
        removed += (await nextMessage(pruner)).removed;
      },
    ];
    for (const run of pair % 2 === 0 ? runs : runs.toReversed()) await run();
  }
  pruner.kill();
  await close();
  const ratios = beside.map(({ rate }, index) => rate / (alone[index]?.rate ?? Number.NaN));
  const line = (what: string, windows: readonly Window[]): readonly string[] => {
    const claims = windows.flatMap(({ claimsMs }) => claimsMs);
    return [
      what,
      median(windows.map(({ rate }) => rate)).toFixed(0),
      percentile(claims, 50).toFixed(2),
      percentile(claims, 99).toFixed(2),
      median(windows.map(({ cpuMs }) => cpuMs)).toFixed(3),
    ];
  };
  const seconds = (PAIRS * WINDOW_MS) / 1000;
  process.stdout.write(
    `${name}, ${FINISHED} finished handoffs, ${PAIRS} pairs of ${WINDOW_MS} ms\n` +
      `${tableOf(['', 'lives/s', 'claim p50 ms', 'claim p99 ms', 'cpu ms a life'], [line('alone', alone), line('beside a prune', beside)])}\n` +
      `beside / alone, median of pairs: ${median(ratios).toFixed(3)}; removed ${removed}, ${(removed / seconds).toFixed(0)} a second\n\n`,
  );
}

/** One after the other: sent, taken, finished. */
async function livesFor(store: Store, ms: number): Promise<Window> {
  const claimsMs: number[] = [];
  const beganMs = performance.now();
  const cpu = process.cpuUsage();
  while (performance.now() - beganMs < ms) {
    sent += 1;
    const opening = { ...openingOf({ id: `bench-${process.pid}-${sent}` }), unheardOf: true } as const;
    await store.insert([opening]);
    const claimMs = performance.now();
    const [claimed] = await store.claim(WORKER, 1, acceptBy());
    claimsMs.push(performance.now() - claimMs);
    if (claimed === undefined) throw new Error('nothing was claimed');
    await store.change([claimed.handoff], deliverAndVerify(claimed.handoff.fence));
  }
  const { user, system } = process.cpuUsage(cpu);
  const lives = claimsMs.length;
  return { rate: (lives * 1000) / (performance.now() - beganMs), cpuMs: (user + system) / 1000 / lives, claimsMs };
}

function nextMessage(child: ChildProcess): Promise<{ readonly removed: number }> {
  return new Promise((resolve) => child.once('message', (message) => resolve(message as { readonly removed: number })));
}

/** All tables and indexes as lives leave them; only the hashes are none. */
async function fillPostgres(url: string, count: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  const began = Date.now() - count;
  const body = JSON.stringify({ input: inputOf() });
  const id = `'hoff-' || lpad(to_hex((${began} + n) / 65536), 8, '0') || '-' || lpad(to_hex((${began} + n) % 65536), 4, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0')`;
  const hash = `lpad(n::text, 43, '0')`;
  const done = stateNumber('completed');
  const steps = [
    [1, `'@sender'`, stepNumber('create', null, 'offered'), 0],
    [2, `'@worker'`, stepNumber('accept', 'offered', 'accepted'), 1],
    [3, `'@worker'`, stepNumber('deliver', 'accepted', 'delivered'), 1],
    [4, `'system'`, stepNumber('verify', 'delivered', 'completed'), 1],
  ].map((step) => `(${step.join(', ')})`);
  for (let from = 1; from <= count; from += 50_000) {
    const numbers = `generate_series(${from}, ${Math.min(count, from + 49_999)}) as n`;
    await sql.unsafe(`insert into baton.handoff (id, n, recipient, revision, state, since, offered_at, not_before, rank,
        attempt, excused, fence, trail)
      select ${id}, n, 'worker', 4, ${done}, ${began} + n, ${began} + n, 0, ${began} + n, 1, 0, 1, ${hash} from ${numbers}`);
    await sql.unsafe(`insert into baton.body (n, id, kind, sender, recipient, priority, created_at, text)
      select n, ${id}, 0, 'sender', 'worker', 2, ${began} + n, '${body}' from ${numbers}`);
    await sql.unsafe(`insert into baton.outcome (n, text)
      select n, '{"kind":"result","result":null}' from ${numbers}`);
    await sql.unsafe(`insert into baton.fact (n, revision, at, by, step, attempt, fence, hash)
      select n, s.revision, ${began} + n, s.by, s.step, s.attempt, s.attempt, ${hash}
      from ${numbers}, (values ${steps.join(', ')}) as s(revision, by, step, attempt)`);
  }
  await sql.unsafe(`select setval('baton.handoff_n', ${count + 1})`);
  await sql.unsafe('vacuum analyze');
  await sql.end();
}
