import { relative, resolve, sep } from 'node:path';
import type { JsonObject } from '../../../foundation/json.ts';
import { AGES, ARTIFACT_STATUSES, type ArtifactCard } from '../../../domain/artifacts.ts';
import { HANDOFF_ID_RULE, readArtifactId, type ArtifactId } from '../../../domain/names.ts';
import { principalText, type Principal } from '../../../domain/principal.ts';
import { entryOf } from '../../../dialects/artifact/card.ts';
import { freeAwaiting } from '../../../engine/artifacts/awaited.ts';
import { deprecate } from '../../../engine/artifacts/cards.ts';
import { cleanArtifacts, type Cleaned } from '../../../engine/artifacts/clean.ts';
import { findArtifacts, showArtifact, type ArtifactFilter } from '../../../engine/artifacts/look.ts';
import { register } from '../../../engine/artifacts/register.ts';
import { refreshRegistry } from '../../../engine/artifacts/registry.ts';
import type { Surroundings } from '../../../engine/surroundings.ts';
import type { ArtifactFolder } from '../../../folders/folder.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { agentArgument, countArgument, textArgument } from '../arguments.ts';
import { inHouse, type CommonOptions } from '../invocation.ts';
import type { Output } from '../output.ts';
import { faceProblem, problemOf, type Problem } from '../problem.ts';
import { ageOf, tableOf } from '../table.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS_MAX = 36_500;

interface RegisterOptions extends CommonOptions {
  readonly all?: true;
  readonly schema?: string;
  readonly supersedes?: readonly string[];
}

export async function registerArtifacts(
  files: readonly string[],
  options: RegisterOptions,
  output: Output,
): Promise<number> {
  if ((files.length === 0) === (options.all === undefined)) {
    throw faceProblem('usage', 'artifact register needs the names of files, or --all');
  }
  const wish = {
    ...(options.schema === undefined ? {} : { schema: textArgument(options.schema, '--schema') }),
    ...(options.supersedes === undefined
      ? {}
      : { supersedes: options.supersedes.map((id) => artifactArgument(id, '--supersedes')) }),
  };
  return inHouse(options, {}, async (around, principal, { workspace }) => {
    mustKeepRegistry(principal);
    const folder = folderOf(around);
    const paths =
      options.all === true ? await folder.list() : files.map((file) => pathIn(workspace?.folder ?? '.', file));
    const told: Told[] = [];
    for (const path of paths) {
      const entered = await register(around, folder, { path, ...wish });
      told.push(entered.ok ? { path, card: entered.value } : { path, problem: problemOf(entered.refusal) });
    }
    await refreshRegistry(folder);
    await freeAwaiting(around, folder);
    return tell(told, options.all === true, output);
  });
}

type Told =
  | { readonly path: string; readonly card: ArtifactCard }
  | { readonly path: string; readonly problem: Problem };

/** Among all files there may be some that never meant to be an artifact. */
function tell(told: readonly Told[], isAll: boolean, output: Output): number {
  const [only] = told;
  if (!isAll && told.length === 1 && only !== undefined) {
    if ('problem' in only) throw only.problem;
    if (output.json) output.answer(entryOf(only.card));
    else output.line(only.card.id);
    return 0;
  }
  if (output.json) output.answer(told.map(viewOf));
  for (const each of output.json ? [] : told) {
    if ('card' in each) output.line(each.card.id);
    else output.warn(each.problem.message);
  }
  const failed = told.flatMap((each) => ('problem' in each ? [each.problem] : []));
  return failed.find(({ code }) => !isAll || code !== 'artifact-unfit')?.exitCode ?? 0;
}

function viewOf(told: Told): JsonObject {
  if ('card' in told) return entryOf(told.card);
  const { code, message, facts } = told.problem;
  return { path: told.path, error: { ...facts, code, message } };
}

export async function showOne(args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  const id = artifactArgument(args[0] ?? '', 'id');
  return inHouse(options, { scope: 'read' }, async (around, principal) => {
    const found = await showArtifact(around, principal, folderOf(around), id);
    if (found === null) throw problemOf({ code: 'no-such-artifact', id });
    const { card, file, changed, dependents } = found;
    if (output.json) output.answer({ ...entryOf(card), changed, dependents, artifact: file });
    else output.answer({ ...entryOf(card), dependents, artifact: file });
    for (const { path, says } of output.json ? [] : changed) output.warn(`${path}: ${says}`);
    return 0;
  });
}

interface FindOptions extends CommonOptions {
  readonly type?: string;
  readonly phase?: string;
  readonly agent?: string;
  readonly status?: string;
}

export async function findAll(_args: readonly string[], options: FindOptions, output: Output): Promise<number> {
  const filter = filterOf(options);
  return inHouse(options, { scope: 'read' }, async (around, principal) => {
    const cards = await findArtifacts(around, principal, folderOf(around), filter);
    if (output.json) output.answer(cards.map(entryOf));
    else if (cards.length === 0) output.note('there are none');
    else
      output.line(
        tableOf(
          HEAD,
          cards.map((card) => rowOf(card, around.store.nowMs())),
        ),
      );
    return 0;
  });
}

function filterOf({ type, phase, agent, status }: FindOptions): ArtifactFilter {
  const known = status === undefined ? undefined : ARTIFACT_STATUSES.find((each) => each === status.toLowerCase());
  if (status !== undefined && known === undefined) {
    throw faceProblem('bad-request', `--status ${JSON.stringify(status)}: one of ${ARTIFACT_STATUSES.join(', ')}`);
  }
  return {
    ...(type === undefined ? {} : { type: textArgument(type, '--type') }),
    ...(phase === undefined ? {} : { phase: countArgument(phase, '--phase', 0, 1_000) }),
    ...(agent === undefined ? {} : { agent: agentArgument(agent, '--agent') }),
    ...(known === undefined ? {} : { status: known }),
  };
}

const HEAD = ['id', 'type', 'status', 'phase', 'agent', 'age', 'path'];

function rowOf({ id, type, status, phase, agent, createdAt, path }: ArtifactCard, nowMs: number): readonly string[] {
  const by = agent === null ? '' : `@${agent}`;
  return [id, displayLine(type), status, String(phase ?? ''), by, ageOf(nowMs - createdAt), displayLine(path)];
}

interface CleanOptions extends CommonOptions {
  readonly apply?: true;
  readonly deprecate?: readonly string[];
  readonly deprecatedDays?: string;
  readonly archivedDays?: string;
}

export async function cleanUp(_args: readonly string[], options: CleanOptions, output: Output): Promise<number> {
  const apply = options.apply === true;
  const deprecated = (options.deprecate ?? []).map((id) => artifactArgument(id, '--deprecate'));
  if (deprecated.length > 0 && !apply) throw faceProblem('usage', '--deprecate changes something: it needs --apply');
  const ages = {
    deprecatedMs: daysOf(options.deprecatedDays, '--deprecated-days') ?? AGES.deprecatedMs,
    archivedMs: daysOf(options.archivedDays, '--archived-days') ?? AGES.archivedMs,
  };
  return inHouse(options, {}, async (around, principal) => {
    mustKeepRegistry(principal);
    const folder = folderOf(around);
    for (const id of deprecated) {
      const done = await deprecate(folder, id, around.store.nowMs());
      if (!done.ok) throw problemOf(done.refusal);
    }
    const cleaned = await cleanArtifacts(folder, ages, around.store.nowMs(), { apply });
    if (output.json) output.answer({ applied: apply, deprecated, changes: cleaned });
    else tellCleaned(cleaned, apply, output);
    return 0;
  });
}

function tellCleaned(cleaned: readonly Cleaned[], apply: boolean, output: Output): void {
  for (const { id, from, to, kept } of cleaned) {
    output.line(kept === null ? `${id}  ${from} → ${to}` : `${id}  ${from}, stays: ${displayLine(kept)}`);
  }
  if (cleaned.length === 0) output.note('nothing is old enough');
  else if (!apply) output.note('nothing was changed; do it with --apply');
}

function daysOf(text: string | undefined, what: string): number | null {
  return text === undefined ? null : countArgument(text, what, 0, DAYS_MAX) * DAY_MS;
}

function artifactArgument(text: string, what: string): ArtifactId {
  const id = readArtifactId(text);
  if (id !== null) return id;
  throw faceProblem('bad-request', `${what} ${JSON.stringify(text)}: ${HANDOFF_ID_RULE}`);
}

function folderOf({ rules }: Surroundings): ArtifactFolder {
  if (rules.artifacts !== null) return rules.artifacts;
  throw faceProblem('no-workspace', 'artifacts lie in a workspace, and there is none here; make one with: baton init');
}

/** Registering and cleaning change and delete files of everybody. */
function mustKeepRegistry(principal: Principal): void {
  if (principal.kind === 'operator') return;
  throw faceProblem('not-yours', `the operator keeps the registry, and not ${principalText(principal)}`);
}

/** As seen from the workspace, wherever the command was typed. */
function pathIn(workspace: string, file: string): string {
  return relative(workspace, resolve(file)).split(sep).join('/');
}
