/**
 * The full-text index is updated after the records, so that it does not slow down sending. The duty holder updates it, and
 * a search first adds what is missing.
 *
 * Record numbers only grow, so `indexed` is the last indexed number. It moves in the transaction that adds a batch, and
 * only from where the batch began: of two processes with the same batch, one adds it. A revision of a draft and an erasure
 * update the index themselves; a batch that was read before such a change is dropped and read again.
 */
import type { JsonText } from '../../foundation/json.ts';
import { INDEXED_MAX, wordsOf } from '../search-words.ts';
import { ERASE_STEPS, stepNumber } from '../stored-numbers.ts';
import type { StoreParts } from './store-parts.ts';

/** Either limit ends a batch, which holds the write lock for a few milliseconds. */
const BATCH_MAX = 512;
const BATCH_CHARACTERS = 256 * 1024;
/** With more new records than this between two calls, senders are busy and the index waits. */
const BUSY = 100;
/** At most this many records wait for the index. */
const BEHIND_MAX = 100_000;

export interface WordIndex {
  /** Whether some handoffs are not indexed yet. */
  isBehind(): boolean;
  /** Adds one batch, if anything is missing and senders are not busy. */
  update(): Promise<void>;
  /** Adds everything that existed at the time of the call. */
  catchUp(): Promise<void>;
}

interface Entry {
  readonly n: number;
  readonly words: string;
}

export function wordIndexOf({ sql, write }: StoreParts, assertOpen: () => void): WordIndex {
  const indexed = sql('SELECT n FROM indexed');
  const newest = sql('SELECT max(n) FROM handoff');
  const next =
    sql(`SELECT n, title, task, substr(body.text, 1, ${INDEXED_MAX}) FROM handoff JOIN body ON body.handoff = n
     WHERE n > ? ORDER BY n LIMIT 1`);
  const add = sql('INSERT INTO words (rowid, text) VALUES (?, ?)');
  const move = sql('UPDATE indexed SET n = ?');
  const newestFact = sql('SELECT max(seq) FROM fact');
  const revisedSince = sql(
    `SELECT 1 FROM fact WHERE seq > ? AND step IN (${[stepNumber('revise', 'draft', 'draft'), ...ERASE_STEPS].join()}) LIMIT 1`,
  );

  const indexedNow = (): number => {
    assertOpen();
    return indexed.get()?.[0] as number;
  };

  const newestNumber = (): number => (newest.get()?.[0] as number | null) ?? 0;
  const isBehind = (): boolean => indexedNow() < newestNumber();

  const batchAfter = (known: number): readonly Entry[] => {
    const batch: Entry[] = [];
    let characters = 0;
    for (let after = known; batch.length < BATCH_MAX && characters < BATCH_CHARACTERS;) {
      const row = next.get(after);
      if (row === undefined) break;
      const [n, title, task, body] = row as readonly [number, string | null, string | null, JsonText];
      const words = wordsOf({ title, task }, body).join(' ');
      batch.push({ n, words });
      characters += words.length;
      after = n;
    }
    return batch;
  };

  const update = async (): Promise<void> => {
    const known = indexedNow();
    const factsRead = (newestFact.get()?.[0] as number | null) ?? 0;
    const batch = batchAfter(known);
    const last = batch.at(-1);
    if (last === undefined) return;
    await write(() => {
      if (indexedNow() !== known || revisedSince.get(factsRead) !== undefined) return;
      for (const { n, words } of batch) add.run(n, words);
      move.run(last.n);
    });
  };

  let seen: number | null = null;
  const updateWhenIdle = async (): Promise<void> => {
    assertOpen();
    const newestNow = newestNumber();
    const isBusy = seen !== null && newestNow - seen > BUSY;
    seen = newestNow;
    if (!isBusy || newestNow - indexedNow() > BEHIND_MAX) await update();
  };

  return {
    update: updateWhenIdle,
    isBehind,
    catchUp: async () => {
      assertOpen();
      const wanted = newestNumber();
      while (indexedNow() < wanted) await update();
    },
  };
}
