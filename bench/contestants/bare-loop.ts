/**
 * The lower bound: what the same rows cost without any decisions. Same tables, indexes, checks, bodies, facts and
 * outcomes, same settings of the database, prepared statements, one transaction for as many as there are callers. No
 * engine, no checks, no hashes (their place is taken by a text of the same length), no second try, no sweep.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { notifyFilesIn, type NotifyFiles } from '../../src/stores/sqlite/notify-files.ts';
import { openDatabase, prepare, type Database, type Row, type Statement } from '../../src/stores/sqlite/binding.ts';
import { ensureDatabaseFile } from '../../src/stores/sqlite/database-file.ts';
import { stateNumber, stepNumber } from '../../src/stores/stored-numbers.ts';
import type { AgentId } from '../../src/domain/names.ts';
import { databaseIn, emptyFolder, unfinishedIn } from './baton-sqlite.ts';
import { inputOf, type Contestant, type Input } from './contestant.ts';

const [SENDER, WORKER] = [1, 2];
const TO = 'worker' as AgentId;
const HASH = 'h'.repeat(43);
const TIMEOUT_MS = 302_000;
const [OFFERED, ACCEPTED, COMPLETED] = [stateNumber('offered'), stateNumber('accepted'), stateNumber('completed')];
const CREATE = stepNumber('create', null, 'offered');
const ACCEPT = stepNumber('accept', 'offered', 'accepted');
const DELIVER = stepNumber('deliver', 'accepted', 'delivered');
const COMPLETE = stepNumber('complete', 'delivered', 'completed');
/** In the order in which this file writes them; columns that are not named are empty, as in nearly every record. */
const FIXED_COLUMNS = 'id, kind, sender, recipient, priority, title, task, lineage, terms, created_at';
const CHANGING_COLUMNS =
  'revision, state, since, offered_at, not_before, rank, ready, due_at, attempt, excused, fence, session, holder, ' +
  'until_at, blocked, question, claims, trail';
const CHANGE_ONE = `UPDATE handoff SET (${CHANGING_COLUMNS}) = (${CHANGING_COLUMNS.replace(/\w+/g, '?')}) WHERE n = ?`;

const addFact = (database: Database): Statement =>
  prepare(
    database,
    'INSERT INTO fact (handoff, revision, at, by, step, attempt, fence, detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );

export const bareLoop: Contestant = {
  name: 'bare loop',
  keepsFinished: true,
  prepare: async (place) => {
    emptyFolder(place);
    ensureDatabaseFile(databaseIn(place));
    const database = openDatabase(databaseIn(place), { sync: 'full' });
    database.exec(`INSERT INTO agent (n, name) VALUES (${SENDER}, 'sender'), (${WORKER}, 'worker')`);
    database.exec("INSERT INTO session (n, id, agent, process, boot, beat_ms) VALUES (1, 's', 2, '{}', 'b', 0)");
    database.close();
  },
  openProducer: async (place) => {
    const database = openDatabase(databaseIn(place), { sync: 'full' });
    const notifyFiles = notifyFilesIn(join(place, 'bells'));
    const add = adding(database);
    const settled = listening(notifyFiles, { kind: 'settled' });
    const open = prepare(database, 'SELECT out_all FROM agent WHERE n = ?');
    const send = (inputs: readonly Input[]): void => {
      add(inputs);
      notifyFiles.notify([TO], false);
    };
    return {
      lives: async (concurrency, count) => {
        for (let begun = 0; begun < count; begun += concurrency) {
          send(Array.from({ length: concurrency }, inputOf));
          while (open.get(SENDER)?.[0] !== 0) await settled.next();
        }
      },
      send: async (input) => send([input]),
      sendMany: async (inputs) => send(inputs),
      unfinished: async () => unfinishedIn(place),
      close: async () => {
        settled.stop();
        notifyFiles.close();
        database.close();
      },
    };
  },
  startWorker: async (place, concurrency, onStart) => {
    const database = openDatabase(databaseIn(place), { sync: 'full' });
    const notifyFiles = notifyFilesIn(join(place, 'bells'));
    const offers = listening(notifyFiles, { kind: 'offers', agent: TO });
    const { claim, complete } = working(database, concurrency);
    let stopped = false;
    const looping = (async () => {
      while (!stopped) {
        const rows = claim();
        if (rows.length === 0) {
          await offers.next();
          continue;
        }
        for (const row of rows) await onStart((JSON.parse(row[5] as string) as { input: Input }).input);
        complete(rows);
        notifyFiles.notify([], true);
      }
    })();
    return {
      stop: async () => {
        stopped = true;
        offers.stop();
        await looping;
        notifyFiles.close();
        database.close();
      },
    };
  },
};

function adding(database: Database): (inputs: readonly Input[]) => void {
  const [transaction, fact] = [inTransaction(database), addFact(database)];
  const row = prepare(
    database,
    `INSERT INTO handoff (${FIXED_COLUMNS}, ${CHANGING_COLUMNS}, waits)
     VALUES (${`${FIXED_COLUMNS}, ${CHANGING_COLUMNS}`.replace(/\w+/g, '?')}, 0) RETURNING n`,
  );
  const body = prepare(database, 'INSERT INTO body (handoff, text) VALUES (?, ?)');
  const count = counting(database);
  return (inputs) =>
    transaction(() => {
      const now = Date.now();
      for (const input of inputs) {
        const fixed = [`hoff-${randomUUID()}`, 0, SENDER, WORKER, 2, null, null, null, null, now] as const;
        const changing = [1, OFFERED, now, now, 0, now, 1, null, 0, 0, 0, null, null, null, null, null, null, HASH];
        const n = row.get(...fixed, ...changing)?.[0] as number;
        body.run(n, JSON.stringify({ input }));
        fact.run(n, 1, now, 'agent:sender', CREATE, 0, 0, '', HASH);
      }
      count(inputs.length);
    });
}

function working(
  database: Database,
  max: number,
): { readonly claim: () => readonly Row[]; readonly complete: (rows: readonly Row[]) => void } {
  const [transaction, fact] = [inTransaction(database), addFact(database)];
  const ready = prepare(
    database,
    `SELECT n, since, offered_at, not_before, rank, body.text
     FROM handoff INDEXED BY handoff_ready JOIN body ON body.handoff = handoff.n
     WHERE recipient = ${WORKER} AND state = ${OFFERED} AND ready = 1 ORDER BY rank, n LIMIT ?`,
  );
  const change = prepare(database, CHANGE_ONE);
  const outcome = prepare(database, 'INSERT INTO outcome (handoff, text) VALUES (?, ?)');
  const count = counting(database);
  return {
    claim: () => {
      if (ready.get(1) === undefined) return [];
      return transaction(() => {
        const rows = ready.all(max);
        const now = Date.now();
        for (const [n = 0, , offeredAt = 0, notBefore = 0, rank = 0] of rows) {
          const held = [1, 1, WORKER, null, null, null, null] as const;
          change.run(2, ACCEPTED, now, offeredAt, notBefore, rank, 0, now + TIMEOUT_MS, 1, 0, ...held, HASH, n);
          fact.run(n, 2, now, 'agent:worker', ACCEPT, 1, 1, '', HASH);
        }
        return rows;
      });
    },
    complete: (rows) =>
      transaction(() => {
        const now = Date.now();
        for (const [n = 0, , offeredAt = 0, notBefore = 0, rank = 0] of rows) {
          const free = [1, null, null, null, null, null, null] as const;
          change.run(4, COMPLETED, now, offeredAt, notBefore, rank, 0, null, 1, 0, ...free, HASH, n);
          outcome.run(n, '{"kind":"result","result":null}');
          fact.run(n, 3, now, 'agent:worker', DELIVER, 1, 1, '', HASH);
          fact.run(n, 4, now, 'system', COMPLETE, 1, 1, '', HASH);
        }
        count(-rows.length);
      }),
  };
}

function counting(database: Database): (change: number) => void {
  const sender = prepare(database, `UPDATE agent SET out_all = out_all + ? WHERE n = ${SENDER}`);
  const worker = prepare(database, `UPDATE agent SET in_all = in_all + ? WHERE n = ${WORKER}`);
  return (change) => {
    sender.run(change);
    worker.run(change);
  };
}

/** The two processes write in turn, except in bulk; there `busy_timeout` waits for the lock. */
function inTransaction(database: Database): <Answer>(act: () => Answer) => Answer {
  const begin = prepare(database, 'BEGIN IMMEDIATE');
  const commit = prepare(database, 'COMMIT');
  // The committing process checkpoints the log, as SQLite does by default.
  database.exec('PRAGMA busy_timeout = 5000; PRAGMA wal_autocheckpoint = 1000');
  return (act) => {
    begin.run();
    const answer = act();
    commit.run();
    return answer;
  };
}

/** Remembers a notification between two reads, so that none is missed. */
function listening(
  notifyFiles: NotifyFiles,
  topic: Parameters<NotifyFiles['listen']>[0],
): { next(): Promise<void>; stop(): void } {
  let isNotified = false;
  let wake = (): void => undefined;
  const onNotify = (): void => {
    isNotified = true;
    wake();
  };
  const listening = notifyFiles.listen(topic, onNotify);
  return {
    next: async () => {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      isNotified = false;
    },
    stop: () => {
      listening.stop();
      onNotify();
    },
  };
}
