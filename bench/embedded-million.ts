import { mkdirSync } from 'node:fs';
import type { Bench } from './embedded.ts';
import { atLeast, type Figures } from './embedded-report.ts';
import { livesOf } from './embedded-lives.ts';
import { databaseIn } from './contestants/baton-sqlite.ts';
import { inputOf } from './contestants/contestant.ts';
import { embeddedNamed } from './contestants/embedded-all.ts';
import { openDatabase } from '../src/stores/sqlite/binding.ts';
import { ensureDatabaseFile } from '../src/stores/sqlite/database-file.ts';
import { stateNumber, stepNumber } from '../src/stores/numbers.ts';
import { median } from './measure.ts';

const FINISHED = 1_000_000;
const PAIRS = 11;
const CONCURRENCY = 10;
const LIVES = 1_000;
const BOUND = 0.9;

/** The same short run on an empty database and on one with a million finished handoffs, turn by turn. */
export async function measureMillion(bench: Bench): Promise<Figures> {
  const contestant = embeddedNamed('baton');
  const full = bench.folder('million');
  const finished = Math.ceil(FINISHED * bench.scale);
  const beganMs = performance.now();
  fill(full, finished);
  process.stderr.write(`  ${finished} written in ${((performance.now() - beganMs) / 1000).toFixed(0)} s\n`);
  const [onEmpty, onFull]: [number[], number[]] = [[], []];
  const lives = Math.ceil(LIVES * Math.max(bench.scale, 0.2));
  for (let pair = 1; pair <= PAIRS; pair += 1) {
    const empty = await bench.fresh(contestant);
    const runs = [
      async () => onEmpty.push((await livesOf(contestant, empty, CONCURRENCY, lives)).rate),
      async () => onFull.push((await livesOf(contestant, full, CONCURRENCY, lives)).rate),
    ];
    // Who is first changes from pair to pair: the second finds a warmer machine.
    for (const run of pair % 2 === 0 ? runs : runs.toReversed()) await run();
    process.stderr.write(`  pair ${pair}: ${onEmpty.at(-1)?.toFixed(0)} empty, ${onFull.at(-1)?.toFixed(0)} full\n`);
  }
  const row = { baton: median(onFull), empty: median(onEmpty) };
  return {
    rows: { [`lives/s at ${CONCURRENCY} with ${finished} finished`]: row },
    pledges: [atLeast('with a million finished, of empty', row.baton / row.empty, BOUND)],
    notes: ['The plans of all questions on this way are asserted by test/sqlite/query-plans.test.ts.'],
  };
}

/** All tables and indexes as a million lives leave them; only the hashes are none. */
function fill(place: string, count: number): void {
  mkdirSync(place, { recursive: true });
  ensureDatabaseFile(databaseIn(place));
  const database = openDatabase(databaseIn(place), { sync: 'normal' });
  const numbers = `WITH RECURSIVE each (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM each WHERE n < ?)`;
  const hash = `printf('%043d', n)`;
  const began = Date.now() - count;
  const facts = [
    [1, `'agent:sender'`, stepNumber('create', null, 'offered'), 0],
    [2, `'agent:worker'`, stepNumber('accept', 'offered', 'accepted'), 1],
    [3, `'agent:worker'`, stepNumber('deliver', 'accepted', 'delivered'), 1],
    [4, `'system'`, stepNumber('verify', 'delivered', 'completed'), 1],
  ];
  const statements = [
    `INSERT INTO handoff (n, id, kind, sender, recipient, priority, created_at, revision, state, since, offered_at,
       not_before, rank, ready, attempt, excused, fence, trail)
     ${numbers} SELECT n, printf('hoff-%08x-%04x-7000-8000-%012x', (${began} + n) / 65536, (${began} + n) % 65536, n), 0, 1, 2, 2,
       ${began} + n, 4, ${stateNumber('completed')}, ${began} + n, ${began} + n, 0, ${began} + n, 0, 1, 0, 1, ${hash} FROM each`,
    `INSERT INTO body (handoff, text) ${numbers} SELECT n, '${JSON.stringify({ input: inputOf() })}' FROM each`,
    `INSERT INTO outcome (handoff, text) ${numbers} SELECT n, '{"kind":"result","result":null}' FROM each`,
    `INSERT INTO fact (handoff, revision, at, by, step, attempt, fence, detail, hash)
     ${numbers} SELECT n, column1, ${began} + n, column2, column3, column4, column4, '', ${hash} FROM each,
       (VALUES ${facts.map((fact) => `(${fact.join(', ')})`).join(', ')})`,
  ].map((sql) => database.prepare(sql));
  database.exec("INSERT INTO agent (n, name) VALUES (1, 'sender'), (2, 'worker')");
  for (let from = 1; from <= count; from += 20_000) {
    const to = Math.min(count, from + 19_999);
    database.exec('BEGIN IMMEDIATE');
    for (const statement of statements) statement.run(from, to);
    database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  }
  // What the text index knows already is not our subject here.
  database.exec('UPDATE indexed SET n = (SELECT max(n) FROM handoff)');
  database.close();
}
