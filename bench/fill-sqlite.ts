/** A database with as many finished handoffs as one likes, made by SQL in seconds. */
import { mkdirSync } from 'node:fs';
import { openDatabase } from '../src/stores/sqlite/binding.ts';
import { ensureDatabaseFile } from '../src/stores/sqlite/database-file.ts';
import { stateNumber, stepNumber } from '../src/stores/stored-numbers.ts';
import { wordsOf } from '../src/stores/search-words.ts';
import type { JsonText } from '../src/foundation/json.ts';
import { databaseIn } from './contestants/baton-sqlite.ts';
import { inputOf } from './contestants/contestant.ts';

const BODY = JSON.stringify({ input: inputOf() }) as JsonText;

/** All tables and indexes as a million lives leave them; only the hashes are none. */
export function fill(place: string, count: number): void {
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
    `INSERT INTO body (handoff, text) ${numbers} SELECT n, '${BODY}' FROM each`,
    `INSERT INTO words (rowid, text) ${numbers} SELECT n, '${wordsOf({ title: null, task: null }, BODY).join(' ')}' FROM each`,
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
  database.exec('UPDATE indexed SET n = (SELECT max(n) FROM handoff)');
  database.close();
}
