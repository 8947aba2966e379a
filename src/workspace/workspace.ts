/** A workspace is a folder with a baton.yaml; our own files are in its `.baton/`. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const CONFIGURATION_FILE = 'baton.yaml';
export const PRIVATE_FOLDER = '.baton';
const DATABASE_FILE = 'baton.db';

export interface Workspace {
  readonly folder: string;
  readonly configurationPath: string;
  readonly privateFolder: string;
  readonly databasePath: string;
}

export function workspaceAt(folder: string): Workspace {
  const at = resolve(folder);
  const privateFolder = join(at, PRIVATE_FOLDER);
  return {
    folder: at,
    configurationPath: join(at, CONFIGURATION_FILE),
    privateFolder,
    databasePath: join(privateFolder, DATABASE_FILE),
  };
}

/** The named workspace, or the nearest; null: there is none. */
export function workspaceFor(folder: string | undefined): Workspace | null {
  const given = folder ?? process.env['BATON_WORKSPACE'] ?? '';
  if (given === '') return findWorkspace(process.cwd());
  const named = workspaceAt(given);
  return existsSync(named.configurationPath) ? named : null;
}

/** The folder itself or the nearest one above it, as git searches. */
export function findWorkspace(from: string): Workspace | null {
  // A worktree that Baton made for an attempt has its own baton.yaml, but belongs to the workspace around it.
  const [, owner] = /^(.*?)[\\/]\.baton[\\/]worktrees[\\/]/.exec(`${resolve(from)}/`) ?? [];
  for (let folder = owner ?? resolve(from); ; folder = dirname(folder)) {
    const workspace = workspaceAt(folder);
    if (existsSync(workspace.configurationPath)) return workspace;
    if (dirname(folder) === folder) return null;
  }
}

/** The folder has its own .gitignore, so that no other has to be edited. */
export function makePrivateFolder({ privateFolder }: Workspace): void {
  mkdirSync(privateFolder, { recursive: true, mode: 0o700 });
  writeOnce(join(privateFolder, '.gitignore'), '*\n');
}

/** False: the file exists, and stays as it is. */
export function writeOnce(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Files that only the owner may change: they hold the server's token and what the workspace allows. */
export function privateFiles({ privateFolder }: Workspace): readonly string[] {
  return [privateFolder, ...['serve.json', 'configuration.json'].map((name) => join(privateFolder, name))];
}

/** The folder of wake-up files shows that there was a database; now there is none. */
export function hasLostDatabase({ privateFolder, databasePath }: Workspace): boolean {
  return !existsSync(databasePath) && existsSync(join(privateFolder, 'bells'));
}
