import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { FileExists, publishDraft } from '../../../foundation/atomic-file.ts';
import type { Context } from '../../../engine/context.ts';
import { readPartialExport, type PartialExport } from '../../../engine/transfer/partial-export.ts';
import { exportAll, type Exported } from '../../../engine/transfer/export.ts';
import { partialOf, takePartial, type TakeRefusal, type PartialFile } from '../../../adapters/database/partial-file.ts';
import type { DamagedRecord, Store } from '../../../stores/store.ts';
import { onInterrupt } from '../interrupt.ts';
import { withOperator, type CommonOptions, type Flags } from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { cliProblem } from '../problem.ts';
import { progressOf } from '../progress.ts';
import { counted } from '../../../foundation/count-text.ts';
import { PROBLEMS } from '../../shared/problems.ts';

/** File names have at most 255 bytes, and the name of the draft is longer. */
const NAME_MAX = 200;
/** Lines are written in chunks, because each write is a system call. */
const CHUNK_BYTES = 64 * 1024;

type ExportOptions = CommonOptions & Flags<'force' | 'fromStart'>;

export async function exportTo(args: readonly string[], options: ExportOptions, output: Output): Promise<number> {
  const [file = '-'] = args;
  const interrupts = onInterrupt(() => undefined);
  const replace = options.force === true;
  const path = file === '-' ? null : targetOf(file, replace);
  return withOperator(options, { scope: 'read', onlyReads: true }, async ({ ctx }) => {
    const { exported, count, resumed } =
      path === null
        ? { ...(await writeAll(ctx.store, process.stdout, { stop: interrupts.stop }, output)), resumed: 0 }
        : await writeFile(ctx, { path, replace, anew: options.fromStart === true, stop: interrupts.stop }, output);
    if (exported === null) {
      output.note(path === null ? 'stopped' : stoppedWords(path, count, options.fromStart === true));
      return interrupts.exitCode() ?? 1;
    }
    const { damaged, damagedRecords, ...whole } = exported;
    if (path !== null && output.json) output.answer({ file: path, ...whole, resumed, damaged, damagedRecords });
    else
      output.note(
        `exported ${counted(exported.count, 'handoff')}${exported.schedules === 0 ? '' : ` and ${counted(exported.schedules, 'schedule')}`}, checksum ${exported.sha256}`,
      );
    if (damaged === 0) return 0;
    output.note(damagedWords(damaged, damagedRecords));
    return PROBLEMS['check-failed'].exitCode;
  });
}

function damagedWords(count: number, records: readonly DamagedRecord[]): string {
  const named = records.map(({ id, says }) => `  ${id}: ${says}`);
  const rest = count > records.length ? [`  and ${counted(count - records.length)} more`] : [];
  const says = `not in the export, because the database cannot read them: ${counted(count, 'handoff')} (baton doctor says more)`;
  return [says, ...named, ...rest].join('\n');
}

function stoppedWords(path: string, count: number, anew: boolean): string {
  if (!existsSync(partialOf(path))) return 'stopped; nothing was left';
  const after = count > 0 ? ` after ${counted(count, 'handoff')}` : '';
  return `stopped${after}; the same command${anew ? ' without --from-start' : ''} continues it`;
}

/** Checks that the file can be made, before anything is read. */
export function targetOf(file: string, replace: boolean): string {
  const path = resolve(file);
  if (Buffer.byteLength(basename(path)) > NAME_MAX) throw cliProblem('bad-request', 'the name of the file is too long');
  if (!existsSync(dirname(path))) throw cliProblem('bad-request', `there is no folder ${dirname(path)}`);
  if (!replace && existsSync(path)) throw existsProblem(path);
  return path;
}

export function existsProblem(path: string): Error {
  return cliProblem('bad-request', `${path} exists; give another name, or --force to replace it`);
}

/** `exported` is null if the export was stopped after `count` handoffs. */
interface Written {
  readonly exported: Exported | null;
  readonly count: number;
}

interface ExportToFile {
  readonly path: string;
  readonly replace: boolean;
  readonly anew: boolean;
  readonly stop: AbortSignal;
}

async function writeFile(
  { store, liveness }: Context,
  { path, replace, anew, stop }: ExportToFile,
  output: Output,
): Promise<Written & { readonly resumed: number }> {
  const taken = await takePartial(path, liveness, { anew });
  if (!taken.ok) throw notTakenProblem(taken.refusal, path);
  const partial = taken.value;
  try {
    const begun = await checkPartial(partial, store, stop, output);
    if (begun === 'stopped') return { exported: null, count: 0, resumed: 0 };
    const resumed = begun?.count ?? 0;
    if (resumed > 0) output.note(`going on after ${counted(resumed, 'handoff')}`);
    const written = await writeOn(partial, store, { begun, stop }, output);
    if (written.exported !== null) publishDraft(partial.path, path, { replace });
    else if (written.count === 0) rmSync(partial.path, { force: true });
    return { ...written, resumed };
  } catch (error) {
    if (error instanceof FileExists) {
      // Another process has made the same file first.
      rmSync(partial.path, { force: true });
      throw existsProblem(path);
    }
    throw error;
  } finally {
    await partial.release();
  }
}

async function writeOn(
  partial: PartialFile,
  store: Store,
  { begun, stop }: { readonly begun: PartialExport | null; readonly stop: AbortSignal },
  output: Output,
): Promise<Written> {
  const start = begun?.bytes ?? 0;
  await partial.handle.truncate(start);
  const file = partial.handle.createWriteStream({ start });
  try {
    const written = await writeAll(store, file, { begun, stop, before: () => partial.heartbeat() }, output);
    file.end();
    await finished(file);
    partial.heartbeat();
    return written;
  } catch (error) {
    file.destroy();
    output.note('what was written until then is kept; export to the same name goes on from there');
    throw error;
  }
}

/** Null: there is no earlier part to continue. */
async function checkPartial(
  partial: PartialFile,
  store: Store,
  stop: AbortSignal,
  output: Output,
): Promise<PartialExport | null | 'stopped'> {
  const progress = progressOf('checked', output.json);
  const looked = await readPartialExport(store, partial.chunks(), {
    signal: stop,
    progress: (count) => {
      partial.heartbeat();
      progress.show(count);
    },
  }).finally(() => progress.end());
  if (looked.ok) return looked.value;
  const { refusal } = looked;
  if (refusal.code === 'interrupted') return 'stopped';
  const says =
    refusal.code === 'not-an-export'
      ? refusal.says
      : `line ${refusal.line} is ${refusal.id} as this database has never known it`;
  throw cliProblem(
    'bad-request',
    `${partial.path} is not the beginning of this export: ${says}. Give another name, or --from-start to throw it away`,
  );
}

function notTakenProblem(refusal: TakeRefusal, path: string): Error {
  if (refusal.code === 'not-ours') {
    return cliProblem('bad-request', `${refusal.path} is not a file of yours; take it away, or give another name`);
  }
  const { by, surely } = refusal;
  const who = by === null ? 'another process' : `process ${by.pid}${surely ? '' : ` on ${by.host}`}`;
  const says = surely
    ? `${who} is writing ${path} now; wait for it, or give another name`
    : `${who} may be writing ${path} now; if it is not, try again in a minute`;
  return cliProblem('bad-request', says);
}

interface Writing {
  readonly begun?: PartialExport | null;
  readonly stop: AbortSignal;
  /** Called before each write. */
  readonly before?: () => void;
}

async function writeAll(
  store: Store,
  to: Writable,
  { begun = null, stop, before }: Writing,
  output: Output,
): Promise<Written> {
  const lines = exportAll(store, begun);
  const progress = progressOf('exported', output.json);
  const failed = new Promise<never>((_resolve, reject) => to.once('error', reject));
  // The next write reports the error if none waits now.
  failed.catch(() => undefined);
  const write = async (text: string): Promise<void> => {
    before?.();
    if (!to.write(text)) await Promise.race([once(to, 'drain', { signal: stop }).catch(() => undefined), failed]);
  };
  let chunk = '';
  // The first line of a new export is its head, not a handoff.
  let count = begun?.count ?? -1;
  try {
    for (let next = await lines.next(); ; next = await lines.next()) {
      if (next.done === true) {
        await write(chunk);
        return { exported: next.value, count: next.value.count };
      }
      if (stop.aborted) {
        // A file keeps whole lines for a continuation. A pipe may be full without a reader.
        if (to !== process.stdout) await write(chunk);
        return { exported: null, count: Math.max(0, count) };
      }
      chunk += next.value;
      count += 1;
      if (chunk.length < CHUNK_BYTES) continue;
      await write(chunk);
      chunk = '';
      progress.show(count);
    }
  } finally {
    progress.end();
  }
}
