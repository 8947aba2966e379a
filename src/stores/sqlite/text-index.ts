/**
 * The full-text index, which follows the records at a distance: sending costs nothing for it. Whoever has the duty feeds
 * it; whoever searches first feeds it what is missing.
 *
 * Numbers of records only grow, so `indexed` is the last number that is in. It moves in the transaction that adds, and
 * only from where the batch began: of two that feed the same, one does. Whoever revises a draft or erases a text that is
 * in changes its words; a batch that was read before such a revision is given up and read again.
 */
import type { JsonText } from '../../foundation/json.ts';
import { INDEXED_MAX, wordsOf } from '../search-words.ts';
import { ERASE_STEPS, stepNumber } from '../numbers.ts';
import { prepare, type Database } from './binding.ts';
import type { SharedCommit } from './shared-commit.ts';

/** One batch holds the write lock for a few milliseconds, so it ends with either of these. */
const BATCH_MAX = 512;
const BATCH_CHARACTERS = 256 * 1024;
/** More newcomers than this between two looks: the house is busy, and whoever searches can wait for the index. */
const BUSY = 100;
/** But not for ever. */
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

export function wordIndexOf(
  database: Database,
  { commit, alive }: { readonly commit: SharedCommit; readonly alive: () => void },
): WordIndex {
  const indexed = prepare(database, 'SELECT n FROM indexed');
  const newest = prepare(database, 'SELECT max(n) FROM handoff');
  const next = prepare(
    database,
    `SELECT n, title, task, substr(body.text, 1, ${INDEXED_MAX}) FROM handoff JOIN body ON body.handoff = n
     WHERE n > ? ORDER BY n LIMIT 1`,
  );
  const add = prepare(database, 'INSERT INTO words (rowid, text) VALUES (?, ?)');
  const move = prepare(database, 'UPDATE indexed SET n = ?');
  const newestFact = prepare(database, 'SELECT max(seq) FROM fact');
  const revisedSince = prepare(
    database,
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
    await commit.run(() => () => {
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
