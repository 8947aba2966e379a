import { existsSync, statSync } from 'node:fs';
import { theApp } from '../app.ts';
import { databaseAddress, rethrow, type Flags, type Texts } from '../with-workspace.ts';
import { TEMPLATES, type Template } from '../../../workspace/templates.ts';
import type { Output } from '../output.ts';
import { cliProblem } from '../problem.ts';

type InitOptions = Flags<'json' | 'queue' | 'gitHook' | 'removeGitHook'> & Texts<'database' | 'template'>;

export async function init(args: readonly string[], options: InitOptions, output: Output): Promise<void> {
  const folder = args[0] ?? '.';
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw cliProblem('bad-request', `${folder} is not a folder`);
  }
  if (options.removeGitHook === true) return withoutHook(folder, options, output);
  const database = options.database === undefined ? undefined : databaseAddress(options.database);
  const {
    folder: workspace,
    made: places,
    database: unnamed,
  } = await theApp()
    .makeWorkspace(folder, { template: templateOf(options), ...(database === undefined ? {} : { database }) })
    .catch(asProblem);
  const made = options.gitHook === true ? [...places, ...(await withHook(folder))] : places;
  if (output.json) output.answer({ workspace, made });
  else if (made.length === 0) output.line(`${workspace} is a workspace already`);
  else output.line(`made ${listOf(made)} in ${workspace}`);
  if (unnamed !== null)
    output.note(`add this to ${workspace}/baton.yaml, so that commands find it: database: ${JSON.stringify(unnamed)}`);
}

function templateOf({ template, queue }: InitOptions): Template | null {
  const name = template ?? (queue === true ? 'queue' : undefined);
  if (name === undefined) return null;
  const found = TEMPLATES.find((each) => each === name);
  if (found !== undefined) return found;
  throw cliProblem('usage', `--template takes ${TEMPLATES.join(', ')}`);
}

async function withHook(folder: string): Promise<readonly string[]> {
  const { installGitHooks: putGitHooks, shownFrom } = await import('../../../adapters/git/git-hook.ts');
  const hooks = await putGitHooks(folder).catch(asProblem);
  return hooks.flatMap(({ path, changed }) => (changed ? [shownFrom(folder, path)] : []));
}

async function withoutHook(folder: string, options: InitOptions, output: Output): Promise<void> {
  if (options.gitHook === true) throw cliProblem('usage', 'either --git-hook or --remove-git-hook');
  const { shownFrom, removeGitHooks: takeGitHooks } = await import('../../../adapters/git/git-hook.ts');
  const hooks = (await takeGitHooks(folder).catch(asProblem)).map(({ path, changed }) => {
    return { hook: shownFrom(folder, path), removed: changed };
  });
  const removed = hooks.filter((each) => each.removed).map(({ hook }) => hook);
  if (output.json) output.answer({ ...hooks[0], hooks });
  else output.line(removed.length > 0 ? `taken out of ${listOf(removed)}` : `nothing of ours in ${hooks[0]?.hook}`);
}

function asProblem(error: unknown): never {
  if (error instanceof Error && error.name === 'CheckProblem') throw cliProblem('bad-request', error.message);
  return rethrow(error);
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
