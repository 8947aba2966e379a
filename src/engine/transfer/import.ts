/**
 * An export becomes records again. Batches are written as they come, so a file that breaks off, or that somebody
 * interrupts, has left everything before that; whoever runs it again goes on, because what is here is not written twice.
 */
import { UnsoundCopy } from '../../foundation/store-fault.ts';
import { refuse, yes, type Result } from '../../foundation/result.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Copy, Store } from '../../stores/store.ts';
import { isOfItsPast } from './known-past.ts';
import { linesOf, type RawLine } from './lines.ts';
import { readHeader, readLine, readText, type Footer, type LineProblem } from './read-line.ts';
import { LINE_BYTES_MAX, totalOf } from './written-line.ts';

export interface Imported {
  readonly added: number;
  /** They were here, exactly so. */
  readonly same: number;
  /** They were here and have moved on since. */
  readonly ahead: number;
  /** Here is another handoff of that name; it was left as it is. The first few, by name. */
  readonly conflicts: readonly { readonly line: number; readonly id: HandoffId }[];
  readonly conflicting: number;
}

export type ImportStop =
  | {
      readonly code: 'bad-line';
      readonly line: number;
      readonly column: number;
      readonly says: string;
      readonly soFar: Imported;
    }
  | { readonly code: 'interrupted'; readonly soFar: Imported };

export interface ImportOptions {
  readonly signal?: AbortSignal;
  readonly progress?: (handoffs: number) => void;
}

const BATCH_MAX = 200;
const BATCH_BYTES = 2 * 1024 * 1024;
const CONFLICTS_NAMED = 20;

interface Waiting {
  readonly line: number;
  readonly copy: Copy;
}

export async function importAll(
  store: Store,
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<Result<Imported & Footer, ImportStop>> {
  const desk = deskOf(store, options.progress ?? (() => undefined));
  let footer: (Footer & { readonly line: number }) | null = null;
  let line = 0;
  const stop = async (at: number, { says, column }: LineProblem): Promise<{ ok: false; refusal: ImportStop }> => {
    const earlier = await desk.flush();
    const worse = earlier ?? { line: at, says, column };
    return refuse({ code: 'bad-line', ...worse, soFar: desk.soFar() });
  };

  for await (const raw of linesOf(chunks, LINE_BYTES_MAX)) {
    if (options.signal?.aborted === true) {
      await desk.flush();
      return refuse({ code: 'interrupted', soFar: desk.soFar() });
    }
    line = raw.number;
    const text = textOf(raw);
    if (!text.ok) return stop(line, text.refusal);
    if (footer !== null) {
      if (text.value.trim() === '') continue;
      return stop(line, { says: 'more after the line that ends the export', column: 1 });
    }
    if (line === 1) {
      const header = readHeader(text.value);
      if (!header.ok) return stop(line, header.refusal);
      continue;
    }
    const read = readLine(text.value);
    if (!read.ok) return stop(line, brokenOff(raw, read.refusal));
    if (read.value.kind === 'footer') {
      footer = { ...read.value, line };
      continue;
    }
    desk.total.add(read.value.sha256);
    const bad = await desk.put({ line, copy: read.value.copy }, raw.bytes.length);
    if (bad !== null) return refuse({ code: 'bad-line', ...bad, soFar: desk.soFar() });
  }
  if (line === 0) return stop(1, { says: 'the file is empty', column: 1 });
  if (footer === null) return stop(line, { says: MISSING_END, column: 1 });
  const bad = await desk.flush();
  if (bad !== null) return refuse({ code: 'bad-line', ...bad, soFar: desk.soFar() });
  const { count, sha256 } = footer;
  if (count === desk.seen() && sha256 === desk.total.hex()) return yes({ ...desk.soFar(), count, sha256 });
  const says =
    count === desk.seen()
      ? 'the checksum of the whole export does not fit: a line was taken out and another put in'
      : `the export was made of ${count} handoffs, here are ${desk.seen()}: lines are missing, or stand here twice`;
  return stop(footer.line, { says, column: 1 });
}

const MISSING_END =
  'the export breaks off here: its last line is missing. What came before is imported; run it again with the whole file';

function textOf(raw: RawLine): Result<string, LineProblem> {
  if (!raw.tooLong) return readText(raw.bytes);
  return refuse({ says: `the line is longer than ${LINE_BYTES_MAX / 1024 / 1024} MiB`, column: LINE_BYTES_MAX });
}

function brokenOff(raw: RawLine, problem: LineProblem): LineProblem {
  return raw.ended
    ? problem
    : { says: `the file breaks off in the middle of this line (${problem.says})`, column: problem.column };
}

type BadLine = LineProblem & { readonly line: number };

/** Where lines wait until there are enough of them for one transaction. */
function deskOf(
  store: Store,
  progress: (handoffs: number) => void,
): {
  readonly total: ReturnType<typeof totalOf>;
  /** Null, or what is wrong with one of those that were waiting. */
  put(waiting: Waiting, bytes: number): Promise<BadLine | null>;
  flush(): Promise<BadLine | null>;
  seen(): number;
  soFar(): Imported;
} {
  const counts = { added: 0, same: 0, ahead: 0, conflicting: 0 };
  const conflicts: { line: number; id: HandoffId }[] = [];
  let waiting: Waiting[] = [];
  let bytes = 0;
  let seen = 0;

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
    seen += batch.length;
    progress(seen);
  };

  const flush = async (): Promise<BadLine | null> => {
    const batch = waiting;
    waiting = [];
    bytes = 0;
    if (batch.length === 0) return null;
    try {
      await settle(batch);
      return null;
    } catch (error) {
      if (!(error instanceof UnsoundCopy)) throw error;
      const at = batch.findIndex(({ copy }) => copy.handoff.id === error.id);
      // What came before the one that cannot be is still good.
      if (at > 0) await settle(batch.slice(0, at));
      return { line: batch[at]?.line ?? 0, column: 1, says: error.message };
    }
  };

  return {
    total: totalOf(),
    put: async (one, size) => {
      waiting.push(one);
      bytes += size;
      return waiting.length >= BATCH_MAX || bytes >= BATCH_BYTES ? flush() : null;
    },
    flush,
    seen: () => seen,
    soFar: () => ({ ...counts, conflicts: [...conflicts] }),
  };
}
