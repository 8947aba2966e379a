import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { NO_LIMITS } from '../../../domain/limits.ts';
import { workspaceAt } from '../../../house/workspace.ts';
import { faceProblem } from '../problem.ts';
import type { Output } from '../output.ts';

export interface InitOptions {
  readonly json?: true;
  readonly database?: string;
}

export async function init(folder: string, options: InitOptions, output: Output): Promise<number> {
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw faceProblem('bad-request', `${folder} is not a folder`);
  }
  const workspace = workspaceAt(folder);
  const { refuseNetworkFolder } = await import('../../../stores/sqlite/database-file.ts');
  if (options.database === undefined) refuseNetworkFolder(workspace.privateFolder);
  const made: string[] = [];
  mkdirSync(workspace.folder, { recursive: true });
  if (!existsSync(workspace.privateFolder)) made.push('.baton/');
  mkdirSync(workspace.privateFolder, { recursive: true, mode: 0o700 });
  // Inside its own folder, so that nobody's .gitignore has to be edited.
  writeOnce(join(workspace.privateFolder, '.gitignore'), '*\n');
  if (writeOnce(workspace.configurationPath, sampleConfiguration(basename(workspace.folder)))) made.push('baton.yaml');
  await makeDatabase(workspace.databasePath, options);
  if (output.json) output.answer({ workspace: workspace.folder, made });
  else
    output.line(
      made.length === 0
        ? `${workspace.folder} is a workspace already`
        : `made ${made.join(' and ')} in ${workspace.folder}`,
    );
  return 0;
}

async function makeDatabase(path: string, { database }: InitOptions): Promise<void> {
  const { openHouse } = await import('../../../house/open-house.ts');
  const address =
    database === undefined ? ({ kind: 'sqlite', path } as const) : ({ kind: 'postgres', url: database } as const);
  const house = await openHouse({ database: address, limits: NO_LIMITS });
  await house.close();
}

function writeOnce(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function sampleConfiguration(project: string): string {
  return `# A Baton workspace. Everything here is optional.
project: ${JSON.stringify(project)}

# How much may be open at once. A limit given for an agent counts everything; the one for everybody else counts
# documents only.
# limits: { outgoing: 5, incoming: 5 }
# agents:
#   react: { limits: { incoming: 10 } }

# A worker that has been silent for this long has lost what it holds.
# lease_seconds: 10
`;
}
