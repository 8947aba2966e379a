import { readFileSync, statSync, type Stats } from 'node:fs';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import type { JsonObject } from '../../../foundation/json.ts';
import { codeOf } from '../../../foundation/system-error-code.ts';
import { readHandoffId } from '../../../domain/names.ts';
import { ingestText, type BlockAnswer, type TextToIngest } from '../../../engine/handoffs/ingest-text.ts';
import type { OpenWorkspace } from '../../../workspace/opened-workspace.ts';
import { ingestRefusalText } from '../../shared/ingest-refusal-text.ts';
import { PROBLEMS } from '../../shared/problems.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { countArgument, ownFence, textArgument } from '../arguments.ts';
import { onInterrupt } from '../interrupt.ts';
import { withWorkspace, type CommonOptions, type Flags, type Texts } from '../with-workspace.ts';
import { answerColours, isTerminal, type Output } from '../output.ts';
import { filesFor } from '../glob-files.ts';
import { cliProblem } from '../problem.ts';
import { progressOf } from '../progress.ts';
import { counted } from '../../../foundation/count-text.ts';
import { utf16TextOf } from '../../../foundation/utf16-text.ts';

type IngestOptions = CommonOptions & Flags<'strict'> & Texts<'project' | 'session' | 'turn' | 'fence'>;

interface FileAnswer {
  readonly file: string;
  readonly blocks: readonly BlockAnswer[];
}

/** Larger than any summary or transcript. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;
const STDIN = '-';
const SHOWN_MAX = 200;

export async function ingestFiles(args: readonly string[], options: IngestOptions, output: Output): Promise<number> {
  const files = filesIn(args);
  const interrupts = onInterrupt(() => undefined);
  const progress = progressOf('read', output.json);
  return withWorkspace(options, {}, async (ctx, principal, app) => {
    const answers: FileAnswer[] = [];
    let before = 0;
    for (const file of files) {
      if (interrupts.stop.aborted) break;
      const blocks = await ingestText(ctx, principal, {
        text: textOf(file),
        source: sourceOf(file, options, app),
        project: projectOf(options, app),
        strict: options.strict === true,
        ...heldHere(),
        ...fenceShown(options),
        progress: (done) => progress.show(before + done, ' blocks'),
        signal: interrupts.stop,
      });
      before += blocks.length;
      progress.end();
      answers.push({ file, blocks });
      if (!output.json) printBlocks({ file, blocks }, output);
    }
    printTotals(answers, output);
    if (interrupts.stop.aborted) {
      output.note('stopped. Run it again to continue: no block is taken twice');
      return interrupts.exitCode() ?? 1;
    }
    return exitCodeOf(
      answers.flatMap(({ blocks }) => blocks),
      options.strict === true,
    );
  });
}

/** Checks that all named files exist before any is read. */
function filesIn(args: readonly string[]): readonly string[] {
  if (args.length === 0) {
    if (isTerminal(0)) throw cliProblem('usage', 'name the files to read, or - for standard input');
    return [STDIN];
  }
  const files = args.flatMap((given) => {
    const found = given === STDIN ? [STDIN] : filesFor(given);
    if (found.length === 0) throw cliProblem('bad-request', `no file matches ${JSON.stringify(given)}`);
    return found;
  });
  for (const file of files) if (file !== STDIN) mustBeFile(file);
  return [...new Set(files)];
}

function mustBeFile(file: string): void {
  const stat = statOf(file);
  if (stat === null) throw cliProblem('bad-request', `there is no file ${JSON.stringify(file.slice(0, SHOWN_MAX))}`);
  if (stat.isDirectory()) {
    throw cliProblem(
      'bad-request',
      `${file} is a folder; name its files, for example '${file.replace(/\/$/, '')}/**/*.md'`,
    );
  }
  if (stat.size > FILE_BYTES_MAX) {
    throw cliProblem(
      'bad-request',
      `${file} has ${counted(stat.size)} bytes, at most ${counted(FILE_BYTES_MAX)} are read`,
    );
  }
}

/** An impossible name counts as a missing file. */
function statOf(file: string): Stats | null {
  try {
    return statSync(file);
  } catch {
    return null;
  }
}

/** Invalid UTF-8 becomes replacement characters, and spoils at most one block. */
function textOf(file: string): string {
  try {
    const bytes = readFileSync(file === STDIN ? 0 : file);
    return utf16TextOf(bytes) ?? bytes.toString('utf8');
  } catch (error) {
    const reason = codeOf(error) ?? String(error);
    throw cliProblem('bad-request', `cannot read ${file === STDIN ? 'standard input' : file}: ${reason}`);
  }
}

/** A file is known by its path in the workspace, so that a moved or cloned workspace knows it too. */
function sourceOf(
  file: string,
  { session, turn }: IngestOptions,
  { workspace }: OpenWorkspace,
): TextToIngest['source'] {
  if (session !== undefined) {
    return { session: textArgument(session, '--session'), turn: textArgument(turn ?? file, '--turn') };
  }
  if (file === STDIN) return { file };
  const inside = workspace === null ? '' : relative(workspace.folder, resolve(file));
  const isInside = inside !== '' && !isAbsolute(inside) && inside.split(sep)[0] !== '..';
  return { file: isInside ? inside.replaceAll(sep, '/') : resolve(file) };
}

function projectOf({ project }: IngestOptions, { configuration, workspace }: OpenWorkspace): string {
  if (project !== undefined) return textArgument(project, '--project', 200);
  return configuration.project ?? (workspace === null ? 'default' : basename(workspace.folder));
}

/** Inside a worker's command, the summary is about the handoff of the worker. */
export function heldHere(): Pick<TextToIngest, 'held'> {
  const id = readHandoffId(process.env['BATON_HANDOFF_ID'] ?? '');
  const fence = ownFence(id ?? '');
  return id === null ? {} : { held: { id, fence: fence === undefined ? null : Number(fence) } };
}

function fenceShown({ fence }: IngestOptions): Pick<TextToIngest, 'fence'> {
  return fence === undefined ? {} : { fence: countArgument(fence, '--fence', 1, Number.MAX_SAFE_INTEGER) };
}

function exitCodeOf(blocks: readonly BlockAnswer[], strict: boolean): number {
  if (strict && blocks.some(({ fate }) => fate === 'invalid' || fate === 'unclear')) {
    return PROBLEMS['bad-request'].exitCode;
  }
  const refused = blocks.find(({ refusal }) => refusal !== undefined)?.refusal;
  return refused === undefined ? 0 : PROBLEMS[refused.code].exitCode;
}

/** Prints after each file, so that an interrupted run has shown what it did. */
function printBlocks({ file, blocks }: FileAnswer, output: Output): void {
  for (const block of blocks) {
    output.line(displayLine(lineOf(file, block)));
    for (const { line, column, field, says, allowed } of [...block.problems, ...block.warnings]) {
      const choice = allowed === undefined ? '' : ` (allowed: ${allowed.join(', ')})`;
      output.warn(`${file}:${line}:${column}: ${field === '' ? '' : `${field}: `}${says}${choice}`);
    }
    for (const says of block.ingested?.says ?? []) output.note(`${file}:${block.line}: ${says}`);
  }
}

function printTotals(files: readonly FileAnswer[], output: Output): void {
  const all = files.flatMap(({ blocks }) => blocks);
  if (all.every(({ fate }) => fate === 'nothing')) output.note('it contains no handoff');
  if (!output.json) return;
  const count = (...fates: readonly BlockAnswer['fate'][]): number =>
    all.filter(({ fate }) => fates.includes(fate)).length;
  output.answer({
    files: files.map(({ file, blocks }) => ({ file, blocks: blocks.map(viewOf) })),
    done: count('done'),
    known: count('known'),
    quoted: count('quoted'),
    refused: count('refused'),
    invalid: count('invalid', 'unclear'),
    nothing: count('nothing'),
  });
}

function lineOf(file: string, block: BlockAnswer): string {
  const { line, column, from, ingested, refusal, fate, says } = block;
  const where = `${file}:${line}:${column}`;
  const who = from === null ? '' : ` @${from}`;
  if (refusal !== undefined) return `${where}${who} ${answerColours.red('refused')}: ${ingestRefusalText(refusal)}`;
  if (ingested === undefined) return `${where}${who} ${fate}${says === undefined ? '' : `: ${says}`}`;
  const next = ingested.opened === null || ingested.opened === ingested.leg ? '' : ` → ${ingested.opened}`;
  const escalation = ingested.escalatedTo === null ? '' : `, escalated to @${ingested.escalatedTo}`;
  return `${where}${who} ${ingested.did} ${ingested.leg}${next}${escalation}`;
}

function viewOf(block: BlockAnswer): JsonObject {
  const { refusal, ingested, ...rest } = block;
  return {
    ...rest,
    ...(ingested === undefined ? {} : { ingested }),
    ...(refusal === undefined ? {} : { refusal: { ...refusal, message: ingestRefusalText(refusal) } }),
  } as unknown as JsonObject;
}
