/**
 * The full-text index is updated after the records, so sending costs nothing for it. The duty holder updates it, and a
 * search first adds what is missing.
 *
 * Numbers of records only grow, so `indexed` is the last number in the index. It moves in the transaction that adds, and
 * only from where the batch began: of two processes that add the same batch, one does. A revision of a draft and an
 * erasure update the index themselves; a batch that was read before such a change is dropped and read again.
 */
import type { JsonText } from '../../foundation/json.ts';
import { INDEXED_MAX, wordsOf } from '../search-words.ts';
import { ERASE_STEPS, stepNumber } from '../numbers.ts';
import type { StoreParts } from './store-parts.ts';

/** One batch holds the write lock for a few milliseconds, so it ends with either of these. */
const BATCH_MAX = 512;
const BATCH_CHARACTERS = 256 * 1024;
/** More new records than this between two calls: senders are busy, and the index waits. */
const BUSY = 100;
/** The index waits no longer than this many records. */
const BEHIND_MAX = 100_000;

export interface WordIndex {
  /** Whether there are handoffs that a search does not find. */
  isBehind(): boolean;
  /** One batch, if anything is missing and there is nothing better to do. */
  feed(): Promise<void>;
  /** All that was there when it was asked. */
  catchUp(): Promise<void>;
}

interface Entry {
  readonly n: number;
  readonly words: string;
}

export function wordIndexOf({ sql, write }: StoreParts, alive: () => void): WordIndex {
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
    alive();
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

  const feed = async (): Promise<void> => {
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
  const feedWhenQuiet = async (): Promise<void> => {
    alive();
    const newestNow = newestNumber();
    const isBusy = seen !== null && newestNow - seen > BUSY;
    seen = newestNow;
    if (!isBusy || newestNow - indexedNow() > BEHIND_MAX) await feed();
  };

  return {
    feed: feedWhenQuiet,
    isBehind,
    catchUp: async () => {
      alive();
      const wanted = newestNumber();
      while (indexedNow() < wanted) await feed();
    },
  };
}
