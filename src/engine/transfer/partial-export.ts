/**
 * Finds where an interrupted export continues. Only complete, undamaged lines count that are the first handoffs of this
 * database in its order without a gap. So a handoff that was committed late, with a smaller number than others that were
 * exported before, is not lost, and nothing is written twice.
 */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Head, Store } from '../../stores/store.ts';
import { isEarlierRevision } from './earlier-revision.ts';
import { linesOf } from './lines.ts';
import { readHead, readHeader, wholeText } from './read-line.ts';
import { LINE_BYTES_MAX, totalOf } from './write-line.ts';

export interface PartialExport {
  readonly count: number;
  /** The valid part of the file; the rest must be cut off. */
  readonly bytes: number;
  /** After the last exported handoff. */
  readonly cursor: string | null;
  readonly total: ReturnType<typeof totalOf>;
}

export type ResumeRefusal =
  | { readonly code: 'not-an-export'; readonly says: string }
  /** The file is of another database, or this one was reset: the file may be the only copy. */
  | { readonly code: 'another-database'; readonly line: number; readonly id: HandoffId }
  | { readonly code: 'interrupted' };

export interface ReadOptions {
  readonly signal?: AbortSignal;
  readonly progress?: (handoffs: number) => void;
}

/** Lines per query. */
const BATCH_MAX = 500;

interface HeadLine extends Head {
  readonly sha256: string;
  readonly line: number;
  readonly until: number;
}

/** Null: the file has no line to continue after. */
export async function readPartialExport(
  store: Store,
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions = {},
): Promise<Result<PartialExport | null, ResumeRefusal>> {
  const total = totalOf();
  let begun: PartialExport = { count: 0, bytes: 0, cursor: null, total };
  let batch: HeadLine[] = [];
  /** Returns the first line that is not the next handoff of this database. Null: all lines are. */
  const recognizeBatch = async (): Promise<HeadLine | null> => {
    const { known, next } = await store.transfer.recognize(begun.cursor, batch);
    const good = batch.slice(0, known);
    for (const { sha256 } of good) total.add(sha256);
    begun = { count: begun.count + known, bytes: good.at(-1)?.until ?? begun.bytes, cursor: next, total };
    options.progress?.(begun.count);
    const other = batch[known] ?? null;
    batch = [];
    return other;
  };

  let other: HeadLine | null = null;
  for await (const raw of linesOf(chunks, LINE_BYTES_MAX)) {
    if (options.signal?.aborted === true) return err({ code: 'interrupted' });
    const text = wholeText(raw);
    if (raw.number === 1 && text !== null) {
      const header = readHeader(text);
      if (!header.ok) return err({ code: 'not-an-export', says: header.refusal.says });
      continue;
    }
    const read = text === null ? null : readHead(text);
    if (read === null) break;
    batch.push({ ...read.head, sha256: read.sha256, line: raw.number, until: raw.until });
    if (batch.length === BATCH_MAX) other = await recognizeBatch();
    if (other !== null) break;
  }
  if (batch.length > 0) other = await recognizeBatch();
  if (other !== null && !(await isEarlierRevision(store, other))) {
    return err({ code: 'another-database', line: other.line, id: other.id });
  }
  return ok(begun.count === 0 ? null : begun);
}
