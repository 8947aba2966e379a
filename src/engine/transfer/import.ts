/**
 * Imports an export. A line that cannot be read is reported and skipped. Batches are written as they come, so a truncated
 * or interrupted import has stored everything before that point. A second run continues, because known records are not
 * written twice.
 */
import { present } from '../../foundation/assert.ts';
import { InvalidCopy } from '../../foundation/store-fault.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Copy, ScheduleRecord, Store } from '../../stores/store.ts';
import { counted } from '../../foundation/count-text.ts';
import { restoreSchedule } from './schedule-line.ts';
import { isEarlierRevision } from './earlier-revision.ts';
import { linesOf, type RawLine } from './lines.ts';
import { readHeader, readLine, readText, type LineProblem } from './read-line.ts';
import { LINE_BYTES_MAX, totalOf, type Footer } from './write-line.ts';

export interface Imported {
  readonly added: number;
  /** Schedules that were added. */
  readonly schedules: number;
  /** Stored already, without a difference. */
  readonly same: number;
  /** Stored already, with a newer revision. */
  readonly ahead: number;
  /** The first ids of another stored handoff, which was left unchanged. */
  readonly conflicts: readonly { readonly line: number; readonly id: HandoffId }[];
  readonly conflicting: number;
}

export type ImportStop =
  | (BadLine & {
      readonly code: 'bad-line';
      /** How many lines were skipped, and the first of those after this one. */
      readonly refused: number;
      readonly others: readonly BadLine[];
      readonly soFar: Imported;
    })
  | { readonly code: 'interrupted'; readonly soFar: Imported };

type BadLine = LineProblem & { readonly line: number };

export interface ImportOptions {
  /** The name of the source, stored in each record. */
  readonly source?: string;
  readonly signal?: AbortSignal;
  readonly progress?: (handoffs: number) => void;
}

const BATCH_MAX = 200;
const BATCH_BYTES = 2 * 1024 * 1024;
const CONFLICTS_NAMED = 20;
const BAD_LINES_NAMED = 20;

interface Waiting {
  readonly line: number;
  readonly copy: Copy;
}

/** The parts of a store that an import needs. */
export interface ImportTarget extends Pick<Store, 'facts'> {
  readonly schedules: Pick<Store['schedules'], 'add' | 'load'>;
  readonly transfer: Pick<Store['transfer'], 'restore'>;
}

export async function importAll(
  store: ImportTarget,
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<Result<Imported & Pick<Footer, 'count' | 'sha256'>, ImportStop>> {
  const batch = openBatch(store, options.progress ?? (() => undefined));
  let footer: (Footer & { readonly line: number }) | null = null;
  let line = 0;
  /** Stops at a line after which nothing can be read. */
  const stop = async (at: number, problem: LineProblem): Promise<{ ok: false; refusal: ImportStop }> => {
    await batch.flush();
    batch.skip({ line: at, ...problem });
    return err(batch.badLines());
  };

  for await (const raw of linesOf(chunks, LINE_BYTES_MAX)) {
    if (options.signal?.aborted === true) {
      await batch.flush();
      return err({ code: 'interrupted', soFar: batch.soFar() });
    }
    line = raw.number;
    const text = textOf(raw);
    if (footer !== null) {
      if (text.ok && text.value.trim() === '') continue;
      return stop(line, { says: 'text after the last line of the export', column: 1 });
    }
    if (line === 1) {
      const header = text.ok ? readHeader(text.value) : text;
      if (!header.ok) return stop(line, header.refusal);
      continue;
    }
    const read = text.ok ? readLine(text.value) : text;
    if (!read.ok) {
      if (raw.tooLong || !raw.ended) return stop(line, truncated(raw, read.refusal));
      batch.skip({ line, ...read.refusal });
    } else if (read.value.kind === 'footer') footer = { ...read.value, line };
    else {
      batch.total.add(read.value.sha256);
      if (read.value.kind === 'schedule') await batch.putSchedule(line, read.value.record);
      else
        await batch.put(
          { line, copy: markedAsImported(read.value.copy, options.source ?? 'an export') },
          raw.bytes.length,
        );
    }
  }
  if (line === 0) return stop(1, { says: 'the file is empty', column: 1 });
  if (footer === null) return stop(line, { says: MISSING_END, column: 1 });
  await batch.flush();
  const { count, schedules, sha256 } = footer;
  if (count + schedules !== batch.seen()) {
    const parts = [counted(count, 'handoff'), ...(schedules === 0 ? [] : [counted(schedules, 'schedule')])];
    const made = parts.join(' and ');
    const says = `the export had ${made}, this file has ${batch.seen()}: lines are missing or repeated`;
    return stop(footer.line, { says, column: 1 });
  }
  if (batch.refused() > 0) return err(batch.badLines());
  if (sha256 === batch.total.hex()) return ok({ ...batch.soFar(), count, sha256 });
  const says = 'the checksum of the whole export does not match: a line was replaced';
  return stop(footer.line, { says, column: 1 });
}

/** Anyone can write a file with valid checksums and hashes, so an imported completion is only `reported`. */
function markedAsImported(copy: Copy, source: string): Copy {
  const { handoff } = copy;
  return {
    ...copy,
    handoff: {
      ...handoff,
      lineage: { ...handoff.lineage, imported: source },
      assurance: handoff.state === 'completed' ? 'reported' : null,
    },
  };
}

const MISSING_END =
  'the export is truncated here: its last line is missing. What came before is imported; run it again with the whole file';

function textOf(raw: RawLine): Result<string, LineProblem> {
  if (!raw.tooLong) return readText(raw.bytes);
  return err({ says: `the line is longer than ${LINE_BYTES_MAX / 1024 / 1024} MiB`, column: LINE_BYTES_MAX });
}

function truncated(raw: RawLine, problem: LineProblem): LineProblem {
  return raw.ended || raw.tooLong
    ? problem
    : { says: `the file is truncated within this line (${problem.says})`, column: problem.column };
}

/** Collects lines for one transaction. */
function openBatch(store: ImportTarget, progress: (handoffs: number) => void) {
  const counts = { added: 0, schedules: 0, same: 0, ahead: 0, conflicting: 0 };
  let schedulesSeen = 0;
  const conflicts: { line: number; id: HandoffId }[] = [];
  const bad: BadLine[] = [];
  let refused = 0;
  let waiting: Waiting[] = [];
  let bytes = 0;
  let restored = 0;

  const soFar = (): Imported => ({ ...counts, conflicts: [...conflicts] });

  const skip = (line: BadLine): void => {
    refused += 1;
    if (bad.length <= BAD_LINES_NAMED) bad.push(line);
  };

  const restore = async (batch: readonly Waiting[]): Promise<void> => {
    const answers = await store.transfer.restore(batch.map(({ copy }) => copy));
    for (const [index, answer] of answers.entries()) {
      const { line, copy } = batch[index] as Waiting;
      if (answer !== 'different') counts[answer] += 1;
      // A repeated import finds records that have changed since.
      else if (await isEarlierRevision(store, copy.handoff)) counts.ahead += 1;
      else {
        counts.conflicting += 1;
        if (conflicts.length < CONFLICTS_NAMED) conflicts.push({ line, id: copy.handoff.id });
      }
    }
    restored += batch.length;
    progress(restored);
  };

  const flush = async (): Promise<void> => {
    let batch = waiting;
    waiting = [];
    bytes = 0;
    // Each round writes the rest or removes one refused copy, so there are at most as many rounds as lines.
    while (batch.length > 0) {
      const before = batch;
      try {
        await restore(before);
        return;
      } catch (error) {
        if (!(error instanceof InvalidCopy)) throw error;
        const unsound = before.find(({ copy }) => copy.handoff.id === error.id);
        if (unsound === undefined) throw error;
        skip({ line: unsound.line, column: 1, says: error.message });
        batch = before.filter((each) => each !== unsound);
      }
    }
  };

  const putSchedule = async (line: number, record: ScheduleRecord): Promise<void> => {
    const answer = await restoreSchedule(store, record);
    if (answer === 'added') counts.schedules += 1;
    if (answer !== 'different') schedulesSeen += 1;
    else {
      const says = `there is another schedule ${record.id} here, which was kept; to import this one, first run: baton schedule remove ${record.id}`;
      skip({ line, column: 1, says });
    }
  };

  return {
    putSchedule,
    total: totalOf(),
    put: async (line: Waiting, size: number): Promise<void> => {
      waiting.push(line);
      bytes += size;
      if (waiting.length >= BATCH_MAX || bytes >= BATCH_BYTES) await flush();
    },
    flush,
    skip,
    /** Lines of handoffs and schedules, including skipped ones. */
    seen: () => restored + schedulesSeen + refused,
    refused: () => refused,
    badLines: (): ImportStop => {
      const [first, ...others] = bad.toSorted((a, b) => a.line - b.line);
      return { code: 'bad-line', ...present(first, 'a bad line'), refused, others, soFar: soFar() };
    },
    soFar,
  };
}
