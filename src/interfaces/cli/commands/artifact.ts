import { relative, resolve, sep } from 'node:path';
import type { JsonObject } from '../../../foundation/json.ts';
import type { ArtifactCard } from '../../../domain/artifacts.ts';
import type { Principal } from '../../../domain/principal.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { entryOf } from '../../../formats/artifact/card.ts';
import { artifactFolderOf, registerArtifact } from '../../../operations/artifact.ts';
import { refusalFor, runFor, type Operation, type Results } from '../../../operations/operation.ts';
import { inputFrom } from '../options.ts';
import type { Output } from '../output.ts';
import { cliProblem, problemOf, type Problem } from '../problem.ts';
import { ageOf, printTable } from '../table.ts';
import { withWorkspace, type CommonOptions } from '../with-workspace.ts';
import type { PrintContext } from './run-operation.ts';

/** Runs the operation for each named file, or for all files. */
export async function registerArtifacts(
  files: readonly string[],
  options: CommonOptions & { readonly all?: true },
  output: Output,
): Promise<number> {
  if ((files.length === 0) === (options.all === undefined)) {
    throw cliProblem('usage', 'artifact register needs the names of files, or --all');
  }
  const wish = inputFrom(registerArtifact, ['-'], options as Readonly<Record<string, unknown>>);
  return withWorkspace(options, {}, async (ctx, principal, { workspace }) => {
    mustBeAllowed(registerArtifact, principal);
    const folder = artifactFolderOf(ctx);
    if (!folder.ok) throw problemOf(folder.refusal);
    const paths =
      options.all === true ? await folder.value.list() : files.map((file) => pathIn(workspace?.folder ?? '.', file));
    const registered: Registered[] = [];
    for (const path of paths) {
      const entered = await runFor(registerArtifact, ctx, principal, { ...wish, path }, {});
      registered.push(entered.ok ? { path, card: entered.value } : { path, problem: problemOf(entered.refusal) });
    }
    return printRegistered(registered, options.all === true, output);
  });
}

/** Checked before any file is listed. */
function mustBeAllowed(operation: Operation, principal: Principal): void {
  const refused = refusalFor(operation, principal);
  if (refused !== null) throw problemOf(refused);
}

type Registered =
  | { readonly path: string; readonly card: ArtifactCard }
  | { readonly path: string; readonly problem: Problem };

/** With `--all`, files that are no artifacts are no failure. */
function printRegistered(registered: readonly Registered[], isAll: boolean, output: Output): number {
  const [only] = registered;
  if (!isAll && registered.length === 1 && only !== undefined) {
    if ('problem' in only) throw only.problem;
    if (output.json) output.answer(entryOf(only.card));
    else output.line(only.card.id);
    return 0;
  }
  if (output.json) output.answer(registered.map(viewOf));
  for (const each of output.json ? [] : registered) {
    if ('card' in each) output.line(each.card.id);
    else output.warn(each.problem.message);
  }
  const failed = registered.flatMap((each) => ('problem' in each ? [each.problem] : []));
  return failed.find(({ code }) => !isAll || code !== 'artifact-unfit')?.exitCode ?? 0;
}

function viewOf(registered: Registered): JsonObject {
  if ('card' in registered) return entryOf(registered.card);
  const { code, message, facts } = registered.problem;
  return { path: registered.path, error: { ...facts, code, message } };
}

export function printArtifact(
  { card, file, changed, dependents }: Results['artifact'],
  { output }: PrintContext,
): void {
  if (output.json) output.answer({ ...entryOf(card), changed, dependents, artifact: file });
  else output.answer({ ...entryOf(card), dependents, artifact: file });
  for (const { path, says } of output.json ? [] : changed) output.warn(`${path}: ${says}`);
}

export function printArtifacts(cards: Results['artifacts'], { output, nowMs }: PrintContext): void {
  const rows = cards.map((card) => rowOf(card, nowMs));
  printTable(output, cards.map(entryOf), [HEAD, ...rows], 'no artifacts');
}

const HEAD = ['id', 'type', 'status', 'phase', 'agent', 'age', 'path'];

function rowOf({ id, type, status, phase, agent, createdAt, path }: ArtifactCard, nowMs: number): readonly string[] {
  const by = agent === null ? '' : `@${agent}`;
  return [id, displayLine(type), status, String(phase ?? ''), by, ageOf(nowMs - createdAt), displayLine(path)];
}

export function printCleaned(cleaned: Results['cleaned'], { output }: PrintContext): void {
  if (output.json) return output.answer(cleaned);
  for (const { id, from, to, kept } of cleaned.changes) {
    output.line(kept === null ? `${id}  ${from} → ${to}` : `${id}  ${from}, stays: ${displayLine(kept)}`);
  }
  if (cleaned.changes.length === 0) output.note('no artifact is old enough');
  else if (!cleaned.applied) output.note('nothing was changed; run it again with --apply');
}

/** The path of the file within the workspace. */
function pathIn(workspace: string, file: string): string {
  return relative(workspace, resolve(file)).split(sep).join('/');
}
