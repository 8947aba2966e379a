/**
 * The full-text index is updated after the facts, so that it does not slow down sending. The duty holder updates it while
 * not much is written, and a search first adds what is missing.
 *
 * `indexed` is a cursor of the facts. It passes only facts before which no others can appear. A search also indexes newer
 * facts, because everything acknowledged must be found; they are read again until the cursor has passed them. All steps
 * can be repeated or run concurrently: a record has one row, and the cursor moves only from where a batch began.
 */
import { INDEXED_MAX, wordsOf } from '../search-words.ts';
import type { Connection } from './connection.ts';
import { feedHorizon } from './feed-horizon.ts';
import type { Row } from './driver.ts';

const BATCH_FACTS = 1000;
/** A larger statement could take longer than the server lets one run. */
const WRITE_CHARACTERS = 256 * 1024;
/**
 * With more new facts than this between two calls, others are busy and the index waits, as on SQLite. While a worker drained
 * a queue, the index took an eighth of the time of worker and server.
 */
const BUSY_FACTS = 400;
/** At most about this many facts wait for the index. */
const BEHIND_MAX = 400_000;

export const CURSOR_SQL = `select cursor, (select xid || ':' || seq from baton.fact order by xid desc, seq desc limit 1)
from baton.indexed where one`;

/** The next facts; the first fact of a record comes with the text to index, unless it is indexed. */
export const NEXT_SQL = `select f.xid::text, f.seq, f.xid < $3::text::xid8, b.n, b.title, b.task, left(b.text, ${INDEXED_MAX})
from (
  select xid, seq, n, revision from baton.fact where (xid, seq) > ($1::text::xid8, $2::bigint)
  order by xid, seq limit ${BATCH_FACTS}
) f left join baton.words w on w.n = f.n and f.revision = 1
  left join baton.body b on b.n = f.n and f.revision = 1 and w.n is null
order by f.xid, f.seq`;

export const ADD_SQL = `with given as (
  select n, array_to_tsvector(string_to_array(words, ' ')) as words
  from json_to_recordset($1::text::json) as g(n bigint, words text)
), added as (
  insert into baton.words (n, words) select n, words from given order by n on conflict (n) do nothing
)
update baton.indexed set cursor = $3::text where one and cursor = $2::text and cursor <> $3::text`;

export interface WordIndex {
  /** Adds one batch, if anything is missing and others are not busy. */
  update(): Promise<void>;
  /** Adds everything that existed at the time of the call. */
  catchUp(): Promise<void>;
}

interface Position {
  readonly xid: bigint;
  readonly seq: number;
}

interface Reached {
  readonly at: Position;
  /** Null after a fact before which others may still appear: the cursor must not pass it. */
  readonly cursor: Position | null;
}

const START: Position = { xid: 0n, seq: 0 };

export function wordIndexOf(connection: Connection): WordIndex {
  const readCursors = async (): Promise<{ readonly cursor: Position; readonly newest: Position }> => {
    const [row] = await connection.read(CURSOR_SQL);
    return { cursor: positionOf(row?.[0]), newest: positionOf(row?.[1]) };
  };

  /** Indexes one batch and returns how far it got. Null: nothing is left. */
  const step = async ({ at, cursor }: Reached, horizon: string): Promise<Reached | null> => {
    const rows = await connection.read(NEXT_SQL, [String(at.xid), at.seq, horizon]);
    const end = rows.at(-1);
    if (end === undefined) return null;
    let settled = cursor;
    for (const { rows: some, entries } of inParts(rows)) {
      const before = settled;
      const last = some.findLast((row) => row[2] === true);
      if (before !== null && last !== undefined) settled = placeOf(last);
      if (entries.length === 0 && settled === before) continue;
      const [from, to] = [before ?? START, settled ?? START].map(textOf) as [string, string];
      await connection.write(ADD_SQL, [JSON.stringify(entries), from, to]);
    }
    return { at: placeOf(end), cursor: end[2] === true ? settled : null };
  };

  let seen: number | null = null;
  return {
    update: async () => {
      const { cursor, newest } = await readCursors();
      // Numbers are drawn in blocks, so they only approximate how many facts there are.
      const isBusy = seen !== null && newest.seq - seen > BUSY_FACTS;
      seen = newest.seq;
      if (isBusy && newest.seq - cursor.seq < BEHIND_MAX) return;
      if (isBefore(cursor, newest)) await step({ at: cursor, cursor }, await feedHorizon(connection));
    },
    catchUp: async () => {
      const { cursor, newest } = await readCursors();
      if (!isBefore(cursor, newest)) return;
      const horizon = await feedHorizon(connection);
      let reached: Reached | null = { at: cursor, cursor };
      while (reached !== null && isBefore(reached.at, newest)) reached = await step(reached, horizon);
    },
  };
}

interface Part {
  readonly rows: Row[];
  readonly entries: { readonly n: number; readonly words: string }[];
}

function inParts(rows: readonly Row[]): readonly Part[] {
  const parts: Part[] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (characters > WRITE_CHARACTERS) {
      parts.push({ rows: [], entries: [] });
      characters = 0;
    }
    const part = parts.at(-1) as Part;
    part.rows.push(row);
    const [, , , n, title, task, body] = row as readonly [string, number, boolean, number | null, ...(string | null)[]];
    if (n === null) continue;
    const words = wordsOf({ title: title ?? null, task: task ?? null }, body ?? '').join(' ');
    part.entries.push({ n, words });
    characters += words.length;
  }
  return parts;
}

function placeOf(row: Row): Position {
  return { xid: BigInt(row[0] as string), seq: row[1] as number };
}

function positionOf(text: unknown): Position {
  const [xid = '', seq = ''] = typeof text === 'string' ? text.split(':') : [];
  return /^\d+$/.test(xid) && /^\d+$/.test(seq) ? { xid: BigInt(xid), seq: Number(seq) } : START;
}

/** The start is written as an empty text. */
function textOf({ xid, seq }: Position): string {
  return xid === 0n ? '' : `${xid}:${seq}`;
}

function isBefore(one: Position, other: Position): boolean {
  return one.xid < other.xid || (one.xid === other.xid && one.seq < other.seq);
}
