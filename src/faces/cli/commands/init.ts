import { existsSync, statSync } from 'node:fs';
import { databaseAddress } from '../invocation.ts';
import type { Output } from '../output.ts';
import { faceProblem } from '../problem.ts';

interface InitOptions {
  readonly json?: true;
  readonly database?: string;
  readonly gitHook?: true;
  readonly removeGitHook?: true;
}

export async function init(args: readonly string[], options: InitOptions, output: Output): Promise<number> {
  const folder = args[0] ?? '.';
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw faceProblem('bad-request', `${folder} is not a folder`);
  }
  if (options.removeGitHook === true) return withoutHook(folder, options, output);
  const { makeWorkspace } = await import('../../../house/make-workspace.ts');
  const database = options.database === undefined ? undefined : databaseAddress(options.database);
  const { folder: workspace, made: places } = await makeWorkspace(folder, database);
  const made = options.gitHook === true ? [...places, ...(await withHook(folder))] : places;
  if (output.json) output.answer({ workspace, made });
  else if (made.length === 0) output.line(`${workspace} is a workspace already`);
  else output.line(`made ${listOf(made)} in ${workspace}`);
  return 0;
}

async function withHook(folder: string): Promise<readonly string[]> {
  const { putGitHook, shownFrom } = await import('../../../house/guard/git-hook.ts');
  const { path, changed } = await putGitHook(folder).catch(asProblem);
  return changed ? [shownFrom(folder, path)] : [];
}

async function withoutHook(folder: string, options: InitOptions, output: Output): Promise<number> {
  if (options.gitHook === true) throw faceProblem('usage', 'either --git-hook or --remove-git-hook');
  const { shownFrom, takeGitHook } = await import('../../../house/guard/git-hook.ts');
  const { path, changed } = await takeGitHook(folder).catch(asProblem);
  const hook = shownFrom(folder, path);
  if (output.json) output.answer({ hook, removed: changed });
  else output.line(changed ? `taken out of ${hook}` : `nothing of ours in ${hook}`);
  return 0;
}

function asProblem(error: unknown): never {
  if (error instanceof Error && error.name === 'CheckProblem') throw faceProblem('bad-request', error.message);
  throw error;
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
