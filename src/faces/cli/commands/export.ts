import { once } from 'node:events';
import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { draftBeside, FileExists, putInPlace } from '../../../foundation/whole-file.ts';
import { exportAll, type Exported } from '../../../engine/transfer/export.ts';
import type { Store } from '../../../stores/store.ts';
import { onInterrupt } from '../interrupt.ts';
import { mustBeOperator, openFor, type CommonOptions } from '../invocation.ts';
import type { Output } from '../output.ts';
import { faceProblem } from '../problem.ts';
import { handoffs, progressOf } from '../progress.ts';

interface ExportOptions extends CommonOptions {
  readonly force?: true;
}

/** Lines are handed on together: one by one, each would cost a system call. */
/** Names end at 255 bytes, and a draft has a longer one. */
const NAME_MAX = 200;
const CHUNK_BYTES = 64 * 1024;

export async function exportTo(args: readonly string[], options: ExportOptions, output: Output): Promise<number> {
  const [file = '-'] = args;
  const interrupts = onInterrupt(() => undefined);
  const replace = options.force === true;
  const path = file === '-' ? null : targetOf(file, replace);
  const house = await openFor(options);
  try {
    await mustBeOperator(house, options, 'read');
    const { store } = house.around;
    const exported =
      path === null
        ? await writeAll(store, process.stdout, interrupts.stop, output)
        : await writeFile(store, path, replace, interrupts.stop, output);
    if (exported === null) {
      output.note('stopped; nothing was left under the name of the file');
      return interrupts.exitCode() ?? 1;
    }
    if (path !== null && output.json) output.answer({ file: path, ...exported });
    else output.note(`exported ${handoffs(exported.count)}, checksum ${exported.sha256}`);
    return 0;
  } finally {
    await house.close();
  }
}

/** Where a file is to be made, if it can be; found out before anything is read. */
export function targetOf(file: string, replace: boolean): string {
  const path = resolve(file);
  if (Buffer.byteLength(basename(path)) > NAME_MAX)
    throw faceProblem('bad-request', 'the name of the file is too long');
  if (!existsSync(dirname(path))) throw faceProblem('bad-request', `there is no folder ${dirname(path)}`);
  if (!replace && existsSync(path)) throw existsProblem(path);
  return path;
}

export function existsProblem(path: string): Error {
  return faceProblem('bad-request', `${path} exists; give another name, or --force to replace it`);
}

async function writeFile(
  store: Store,
  path: string,
  replace: boolean,
  stop: AbortSignal,
  output: Output,
): Promise<Exported | null> {
  const draft = draftBeside(path);
  try {
    const file = createWriteStream(draft, { flags: 'wx', mode: 0o600 });
    const exported = await writeAll(store, file, stop, output);
    file.end();
    await finished(file);
    if (exported !== null) putInPlace(draft, path, { replace });
    return exported;
  } catch (error) {
    if (error instanceof FileExists) throw existsProblem(path);
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Null: it was stopped. */
async function writeAll(store: Store, to: Writable, stop: AbortSignal, output: Output): Promise<Exported | null> {
  const lines = exportAll(store);
  const progress = progressOf('exported', output.json);
  const failed = new Promise<never>((_resolve, reject) => to.once('error', reject));
  // Whoever waits hears of it; without a waiter it is told by the next write.
  failed.catch(() => undefined);
  const write = async (text: string): Promise<void> => {
    if (!to.write(text)) await Promise.race([once(to, 'drain', { signal: stop }).catch(() => undefined), failed]);
  };
  let chunk = '';
  let count = -1;
  try {
    for (let next = await lines.next(); ; next = await lines.next()) {
      if (stop.aborted) return null;
      if (next.done === true) {
        await write(chunk);
        return next.value;
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
