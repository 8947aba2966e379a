import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { importAll, type Imported } from '../../../engine/transfer/import.ts';
import { onInterrupt } from '../interrupt.ts';
import { withOperator, type CommonOptions } from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { cliProblem, Problem } from '../problem.ts';
import { progressOf } from '../progress.ts';
import { counted } from '../../../foundation/count-text.ts';
import { codeOf } from '../../../foundation/system-error-code.ts';

export async function importFrom(args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  const [file = '-'] = args;
  const interrupts = onInterrupt(() => undefined);
  const source = openSource(file);
  const progress = progressOf('imported', output.json);
  return withOperator(options, { scope: 'write', explicitAs: 'import records' }, async ({ ctx }) => {
    const imported = await importAll(ctx.store, source.chunks(), {
      signal: interrupts.stop,
      source: source.name,
      progress: (count) => progress.show(count, source.share()),
    }).finally(() => progress.end());
    if (imported.ok) return printImported(imported.value, source.name, output);
    const { refusal } = imported;
    const soFar = summaryOf(refusal.soFar);
    if (refusal.code === 'interrupted') {
      output.note(`stopped: ${soFar}. Run it again to continue`);
      return interrupts.exitCode() ?? 1;
    }
    const { line, column, says, refused, others } = refusal;
    const named = [{ line, column, says }, ...others].map(
      (bad) => `${source.name}:${bad.line}:${bad.column}: ${bad.says}`,
    );
    const rest = refused > named.length ? [`and ${counted(refused - named.length, 'more line')}`] : [];
    throw cliProblem('bad-request', [...named, ...rest, soFar].join('\n'), {
      file: source.name,
      line,
      column,
      refused,
      others: others.map((bad) => ({ line: bad.line, column: bad.column, says: bad.says })),
      ...countsOf(refusal.soFar),
    });
  });
}

interface Source {
  readonly name: string;
  chunks(): AsyncIterable<Uint8Array>;
  /** The share that has been read, as text. */
  share(): string;
}

function openSource(file: string): Source {
  if (file === '-') return { name: 'standard input', chunks: () => process.stdin, share: () => '' };
  const bytes = sizeOf(file);
  let read = 0;
  return {
    name: basename(file),
    chunks: async function* chunks() {
      for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
        read += (chunk as Uint8Array).length;
        yield chunk as Uint8Array;
      }
    },
    share: () => (bytes === 0 ? '' : `, ${Math.floor((read / bytes) * 100)} %`),
  };
}

function sizeOf(file: string): number {
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) throw cliProblem('bad-request', `${file} is a folder`);
    return stat.isFile() ? stat.size : 0;
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw cliProblem('bad-request', `cannot read ${file}: ${codeOf(error) ?? String(error)}`);
  }
}

function printImported(
  imported: Imported & { readonly count: number; readonly sha256: string },
  name: string,
  output: Output,
): number {
  const { conflicts, conflicting, count, sha256 } = imported;
  if (conflicting > 0) {
    const named = conflicts.map(({ line, id }) => `${name}:${line}:1: ${id}`);
    const rest = conflicting > conflicts.length ? [`and ${counted(conflicting - conflicts.length)} more`] : [];
    const says = [
      `${counted(conflicting, 'handoff')} with the same id but another history are here; they were left as they are:`,
    ];
    throw new Problem('known-id', [...says, ...named, ...rest, summaryOf(imported)].join('\n'), {
      conflicts: conflicts.map(({ line, id }) => ({ line, id })),
      ...countsOf(imported),
    });
  }
  if (output.json) output.answer({ count, sha256, ...countsOf(imported) });
  else output.line(`${summaryOf(imported)}; checksum ${sha256}`);
  return 0;
}

function countsOf({ added, schedules, same, ahead, conflicting }: Imported): Record<string, number> {
  return { added, schedules, same, ahead, conflicting };
}

function summaryOf({ added, schedules, same, ahead }: Imported): string {
  return [
    `imported ${counted(added, 'handoff')}`,
    ...(schedules > 0 ? [counted(schedules, 'schedule')] : []),
    ...(same > 0 ? [`${counted(same)} were here already`] : []),
    ...(ahead > 0 ? [`${counted(ahead)} were here and have moved on`] : []),
  ].join(', ');
}
