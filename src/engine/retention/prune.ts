/**
 * Moves finished handoffs out of the database: first to an archive, then, once the archive is on the disk, out of the
 * database in small batches. A prune that is killed has removed nothing that is not in an archive; the next prune
 * removes what the newest archive holds before it begins another.
 */
import { elapsedMs } from '../../foundation/clock.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { HandoffArchive } from '../../folders/folder.ts';
import { REMOVED_MAX, type Copy, type DamagedRecord, type Head, type Store } from '../../stores/store.ts';
import type { Context } from '../context.ts';
import { handoffsByIds } from '../handoffs/find.ts';
import { linesOf } from '../transfer/lines.ts';
import { readHead, wholeText } from '../transfer/read-line.ts';
import { footerLine, headerLine, LINE_BYTES_MAX, totalOf, writeLine } from '../transfer/write-line.ts';

/** Records per query. */
const PAGE = 200;
/** Either limit ends an archive, so that reading it again after a kill stays short. */
const ARCHIVE_HANDOFFS = 10_000;
const ARCHIVE_BYTES = 64 * 1024 * 1024;
/** After each step prune pauses for nine times as long as the step took, so workers have nine tenths of the time. */
const PAUSE_FACTOR = 9;
const PAUSE_MS_MAX = 5_000;
const NAMED_MAX = 20;

export interface PruneOptions {
  /** Only what was settled before this instant. */
  readonly settledBefore: number;
  readonly isDryRun: boolean;
  readonly signal?: AbortSignal;
}

export interface Pruned {
  readonly dryRun: boolean;
  readonly settledBefore: number;
  /** How many were removed, or would be. */
  readonly handoffs: number;
  /** The first of them. */
  readonly ids: readonly HandoffId[];
  /** Archived handoffs that were needed again before they could be removed, and stay. */
  readonly kept: number;
  /** The written archives, oldest first. */
  readonly archives: readonly string[];
  readonly damaged: readonly DamagedRecord[];
  /** The prune was stopped; the rest is left to the next one. */
  readonly stopped: boolean;
}

interface Tally {
  handoffs: number;
  kept: number;
  readonly ids: HandoffId[];
  readonly archives: string[];
  readonly damaged: DamagedRecord[];
}

export async function prune(ctx: Context, archive: HandoffArchive, options: PruneOptions): Promise<Pruned> {
  const { settledBefore, isDryRun, signal } = options;
  const tally: Tally = { handoffs: 0, kept: 0, ids: [], archives: [], damaged: [] };
  const copies = removableCopies(ctx, options, tally.damaged);
  if (isDryRun) for await (const { handoff } of copies) count(tally, handoff.id);
  else {
    await archive.withLock(async () => {
      await finishNewest(ctx, archive, tally, signal);
      await archiveAndRemove(ctx, archive, copies, tally, signal);
    });
  }
  return { ...tally, dryRun: isDryRun, settledBefore, stopped: signal?.aborted === true };
}

function count(tally: Tally, id: HandoffId): void {
  tally.handoffs += 1;
  if (tally.ids.length < NAMED_MAX) tally.ids.push(id);
}

async function* removableCopies(
  ctx: Context,
  { settledBefore, signal }: PruneOptions,
  damaged: DamagedRecord[],
): AsyncGenerator<Copy, void, undefined> {
  for (let after: string | null | undefined; after !== null && signal?.aborted !== true;) {
    const from: string | null = after ?? null;
    const page = await withPause(ctx, signal, () => ctx.store.retention.removable(settledBefore, from, PAGE));
    damaged.push(...page.damaged.slice(0, NAMED_MAX - damaged.length));
    yield* page.items;
    after = page.next;
  }
}

async function archiveAndRemove(
  ctx: Context,
  archive: HandoffArchive,
  copies: AsyncGenerator<Copy, void, undefined>,
  tally: Tally,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let next = await copies.next(); next.done !== true && signal?.aborted !== true; next = await copies.next()) {
    const heads: Head[] = [];
    const name = archiveName(ctx.store.nowMs(), await archive.list());
    await archive.write(name, archiveLines(ctx.store, next.value, copies, heads));
    tally.archives.push(name);
    await removeAll(ctx, heads, name, tally, signal);
  }
}

/** Names sort by time. Never smaller than an existing name, because the clock may have been set back. */
function archiveName(nowMs: number, known: readonly string[]): string {
  const name = `handoffs-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}.jsonl`;
  const newest = known.at(-1);
  return newest === undefined || newest < name ? name : `${newest.slice(0, -'.jsonl'.length)}+.jsonl`;
}

/** An export of the first copy and as many more as fit into one archive. */
async function* archiveLines(
  store: Store,
  first: Copy,
  rest: AsyncGenerator<Copy, void, undefined>,
  heads: Head[],
): AsyncGenerator<string, void, undefined> {
  yield `${headerLine(store.nowMs())}\n`;
  const total = totalOf();
  let bytes = 0;
  for (let copy: Copy | undefined = first; copy !== undefined;) {
    const { text, sha256 } = writeLine(copy);
    const { id, revision, trail } = copy.handoff;
    total.add(sha256);
    heads.push({ id, revision, trail });
    bytes += text.length;
    yield `${text}\n`;
    const isFull = heads.length >= ARCHIVE_HANDOFFS || bytes >= ARCHIVE_BYTES;
    const next = isFull ? null : await rest.next();
    copy = next === null || next.done === true ? undefined : next.value;
  }
  yield `${footerLine({ count: heads.length, schedules: 0, sha256: total.hex() })}\n`;
}

async function removeAll(
  ctx: Context,
  heads: readonly Head[],
  archive: string,
  tally: Tally,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let from = 0; from < heads.length && signal?.aborted !== true; from += REMOVED_MAX) {
    const batch = heads.slice(from, from + REMOVED_MAX);
    const answers = await withPause(ctx, signal, () => ctx.store.retention.remove(batch, archive));
    for (const [index, answer] of answers.entries()) {
      if (answer === 'removed') count(tally, (batch[index] as Head).id);
      else if (answer !== 'elsewhere') tally.kept += 1;
    }
  }
}

/** Removes what a killed prune has archived but not removed. */
async function finishNewest(
  ctx: Context,
  archive: HandoffArchive,
  tally: Tally,
  signal: AbortSignal | undefined,
): Promise<void> {
  const newest = (await archive.list()).at(-1);
  if (newest === undefined) return;
  const left: Head[] = [];
  let batch: Head[] = [];
  const findLeft = async (): Promise<void> => {
    const ids = batch.map(({ id }) => id);
    const there = await handoffsByIds(ctx.store, ids);
    left.push(...batch.filter(({ id }) => there.has(id)));
    batch = [];
  };
  for await (const line of linesOf(archive.read(newest), LINE_BYTES_MAX)) {
    if (signal?.aborted === true) return;
    const text = wholeText(line);
    const read = text !== null && line.number > 1 ? readHead(text) : null;
    if (read !== null) batch.push(read.head);
    if (batch.length === PAGE) await findLeft();
  }
  if (batch.length > 0) await findLeft();
  await removeAll(ctx, left, newest, tally, signal);
}

/** Runs one step, and then leaves the database to others for a while. */
async function withPause<Answer>(
  { timers }: Context,
  signal: AbortSignal | undefined,
  step: () => Promise<Answer>,
): Promise<Answer> {
  const begunMs = elapsedMs();
  const answer = await step();
  await timers.sleep(Math.min(PAUSE_MS_MAX, (elapsedMs() - begunMs) * PAUSE_FACTOR), signal);
  return answer;
}
