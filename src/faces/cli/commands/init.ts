import { existsSync, statSync } from 'node:fs';
import { databaseAddress } from '../invocation.ts';
import type { Output } from '../output.ts';
import { faceProblem } from '../problem.ts';

interface InitOptions {
  readonly json?: true;
  readonly database?: string;
}

export async function init(args: readonly string[], options: InitOptions, output: Output): Promise<number> {
  const folder = args[0] ?? '.';
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw faceProblem('bad-request', `${folder} is not a folder`);
  }
  const { makeWorkspace } = await import('../../../house/make-workspace.ts');
  const database = options.database === undefined ? undefined : databaseAddress(options.database);
  const { folder: workspace, made } = await makeWorkspace(folder, database);
  if (output.json) output.answer({ workspace, made });
  else if (made.length === 0) output.line(`${workspace} is a workspace already`);
  else output.line(`made ${listOf(made)} in ${workspace}`);
  return 0;
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
