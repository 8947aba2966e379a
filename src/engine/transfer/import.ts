/**
 * An export becomes records again. A line that cannot be read is named and passed over, and never stops the others.
 * Batches are written as they come, so a file that breaks off, or that somebody interrupts, has left everything before
 * that; a second run goes on, because what is here is not written twice.
 */
import { present } from '../../foundation/assert.ts';
import { InvalidCopy } from '../../foundation/store-fault.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Copy, ScheduleRecord, Store } from '../../stores/store.ts';
import { counted } from '../../foundation/count-text.ts';
import { restoreSchedule } from './schedule-line.ts';
import { isOfItsPast } from './already-known.ts';
import { linesOf, type RawLine } from './lines.ts';
import { readHeader, readLine, readText, type LineProblem } from './read-line.ts';
import { LINE_BYTES_MAX, totalOf, type Footer } from './write-line.ts';

export interface Imported {
  readonly added: number;
  /** Schedules that were added. */
  readonly schedules: number;
  /** They were here, exactly so. */
  readonly same: number;
  /** They were here and have moved on since. */
  readonly ahead: number;
  /** Here is another handoff of that name; it was left as it is. The first few, by name. */
  readonly conflicts: readonly { readonly line: number; readonly id: HandoffId }[];
  readonly conflicting: number;
}

export type ImportStop =
  | (BadLine & {
      readonly code: 'bad-line';
      /** How many lines were passed over, and the first of those after this one. */
      readonly refused: number;
      readonly others: readonly BadLine[];
      readonly soFar: Imported;
    })
  | { readonly code: 'interrupted'; readonly soFar: Imported };

type BadLine = LineProblem & { readonly line: number };

export interface ImportOptions {
  /** What is imported, as it is written into each record. */
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

/** As much of a store as an import needs. */
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
  /** Nothing after this line can be made sense of. */
  const stop = async (at: number, problem: LineProblem): Promise<{ ok: false; refusal: ImportStop }> => {
    await batch.flush();
    batch.passOver({ line: at, ...problem });
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
      return stop(line, { says: 'more after the line that ends the export', column: 1 });
    }
    if (line === 1) {
      const header = text.ok ? readHeader(text.value) : text;
      if (!header.ok) return stop(line, header.refusal);
      continue;
    }
    const read = text.ok ? readLine(text.value) : text;
    if (!read.ok) {
      if (raw.tooLong || !raw.ended) return stop(line, brokenOff(raw, read.refusal));
      batch.passOver({ line, ...read.refusal });
    } else if (read.value.kind === 'footer') footer = { ...read.value, line };
    else {
      batch.total.add(read.value.sha256);
      if (read.value.kind === 'schedule') await batch.putSchedule(line, read.value.record);
      else await batch.put({ line, copy: marked(read.value.copy, options.source ?? 'an export') }, raw.bytes.length);
    }
  }
  if (line === 0) return stop(1, { says: 'the file is empty', column: 1 });
  if (footer === null) return stop(line, { says: MISSING_END, column: 1 });
  await batch.flush();
  const { count, schedules, sha256 } = footer;
  if (count + schedules !== batch.seen()) {
    const parts = [counted(count, 'handoff'), ...(schedules === 0 ? [] : [counted(schedules, 'schedule')])];
    const made = parts.join(' and ');
    const says = `the export was made of ${made}, here are ${batch.seen()}: lines are missing, or stand here twice`;
    return stop(footer.line, { says, column: 1 });
  }
  if (batch.refused() > 0) return err(batch.badLines());
  if (sha256 === batch.total.hex()) return ok({ ...batch.soFar(), count, sha256 });
  const says = 'the checksum of the whole export does not fit: a line was taken out and another put in';
  return stop(footer.line, { says, column: 1 });
}

/** Anybody can write a file whose checksums and hashes fit, so an imported completion is only reported. */
function marked(copy: Copy, source: string): Copy {
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
  'the export breaks off here: its last line is missing. What came before is imported; run it again with the whole file';

function textOf(raw: RawLine): Result<string, LineProblem> {
  if (!raw.tooLong) return readText(raw.bytes);
  return err({ says: `the line is longer than ${LINE_BYTES_MAX / 1024 / 1024} MiB`, column: LINE_BYTES_MAX });
}

function brokenOff(raw: RawLine, problem: LineProblem): LineProblem {
  return raw.ended || raw.tooLong
    ? problem
    : { says: `the file breaks off in the middle of this line (${problem.says})`, column: problem.column };
}

/** Collects lines until there are enough of them for one transaction. */
function openBatch(store: ImportTarget, progress: (handoffs: number) => void) {
  const counts = { added: 0, schedules: 0, same: 0, ahead: 0, conflicting: 0 };
  let schedulesSeen = 0;
  const conflicts: { line: number; id: HandoffId }[] = [];
  const bad: BadLine[] = [];
  let refused = 0;
  let waiting: Waiting[] = [];
  let bytes = 0;
  let settled = 0;

  const soFar = (): Imported => ({ ...counts, conflicts: [...conflicts] });

  const passOver = (line: BadLine): void => {
    refused += 1;
    if (bad.length <= BAD_LINES_NAMED) bad.push(line);
  };

  const settle = async (batch: readonly Waiting[]): Promise<void> => {
    const answers = await store.transfer.restore(batch.map(({ copy }) => copy));
    for (const [index, answer] of answers.entries()) {
      const { line, copy } = batch[index] as Waiting;
      if (answer !== 'different') counts[answer] += 1;
      // An import that is run again finds records that were worked on meanwhile.
      else if (await isOfItsPast(store, copy.handoff)) counts.ahead += 1;
      else {
        counts.conflicting += 1;
        if (conflicts.length < CONFLICTS_NAMED) conflicts.push({ line, id: copy.handoff.id });
      }
    }
    settled += batch.length;
    progress(settled);
  };

  const flush = async (): Promise<void> => {
    let batch = waiting;
    waiting = [];
    bytes = 0;
    // Each round writes the rest, or takes out one that the store refuses: there are no more rounds than lines.
    while (batch.length > 0) {
      const before = batch;
      try {
        await settle(before);
        return;
      } catch (error) {
        if (!(error instanceof InvalidCopy)) throw error;
        const unsound = before.find(({ copy }) => copy.handoff.id === error.id);
        if (unsound === undefined) throw error;
        passOver({ line: unsound.line, column: 1, says: error.message });
        batch = before.filter((each) => each !== unsound);
      }
    }
  };

  const putSchedule = async (line: number, record: ScheduleRecord): Promise<void> => {
    const answer = await restoreSchedule(store, record);
    if (answer === 'added') counts.schedules += 1;
    if (answer !== 'different') schedulesSeen += 1;
    else {
      const says = `here is another schedule ${record.id}, which stays; remove it first: baton schedule remove ${record.id}`;
      passOver({ line, column: 1, says });
    }
  };

  return {
    putSchedule,
    total: totalOf(),
    put: async (one: Waiting, size: number): Promise<void> => {
      waiting.push(one);
      bytes += size;
      if (waiting.length >= BATCH_MAX || bytes >= BATCH_BYTES) await flush();
    },
    flush,
    passOver,
    /** Lines of handoffs and schedules, also those that were passed over. */
    seen: () => settled + schedulesSeen + refused,
    refused: () => refused,
    badLines: (): ImportStop => {
      const [first, ...others] = bad.toSorted((a, b) => a.line - b.line);
      return { code: 'bad-line', ...present(first, 'a bad line'), refused, others, soFar: soFar() };
    },
    soFar,
  };
}
