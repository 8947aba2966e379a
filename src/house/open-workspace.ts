/** A workspace or a bare database becomes a house that stands: the one way in for the command line and the library. */
import { existsSync } from 'node:fs';
import { flawOfOwnFile } from '../foundation/own-file.ts';
import { StoreFault } from '../foundation/store-fault.ts';
import { NO_LIMITS } from '../domain/limits.ts';
import type { EngineEvent } from '../engine/surroundings.ts';
import type { Configuration } from './configuration-values.ts';
import type { DatabaseAddress } from './database-address.ts';
import { knownConfiguration } from './known-configuration.ts';
import { openHouse, type House, type HouseOptions } from './open-house.ts';
import { hasLostDatabase, makePrivateFolder, workspaceFor, type Workspace, privateFiles } from './workspace.ts';

export interface OpenOptions {
  /** Its folder; without one, the nearest from here upwards. */
  readonly workspace?: string;
  /** Instead of the workspace's own. */
  readonly database?: DatabaseAddress;
  readonly report?: (event: EngineEvent) => void;
  /** Whoever only reads gets along with a database file that cannot be written. */
  readonly onlyReads?: boolean;
  /** Told why, while a server is waited for at the beginning. */
  readonly waiting?: (why: Error) => void;
}

export interface OpenWorkspace extends House {
  readonly workspace: Workspace | null;
  readonly configuration: Configuration | null;
  /** The database was gone, and this one is new and empty. */
  readonly isReplaced: boolean;
}

function taskFolderOf(
  { folder, privateFolder }: Workspace,
  { tasks }: Configuration,
): Pick<HouseOptions, 'taskFolder'> {
  if (tasks === null) return {};
  return { taskFolder: { folder, privateFolder, pattern: tasks.pattern, isRequired: tasks.required } };
}

/** A fresh clone has no private folder: it must not become part of the repository with the first command. */
function completeWorkspace(place: Workspace): void {
  if (existsSync(place.privateFolder)) return;
  try {
    makePrivateFolder(place);
  } catch {
    // Where nothing can be written, whoever needs to write says so in its own words.
  }
}

function refuseFilesOfOthers(place: Workspace): void {
  for (const file of privateFiles(place)) {
    const flaw = flawOfOwnFile(file);
    if (flaw !== null)
      throw new StoreFault(`${flaw.says}; nothing was opened. Put it right with: ${flaw.todo}`, 'unchanged');
  }
}

/** Null: there is neither a workspace nor a database. */
export async function openWorkspace({
  workspace,
  database,
  report,
  onlyReads,
  waiting,
}: OpenOptions): Promise<OpenWorkspace | null> {
  const place = workspaceFor(workspace);
  if (place === null && database === undefined) return null;
  if (place !== null) {
    completeWorkspace(place);
    refuseFilesOfOthers(place);
  }
  const known = place === null ? null : await knownConfiguration(place);
  const configuration = known?.configuration ?? null;
  const address = database ?? { kind: 'sqlite', path: place?.databasePath ?? '' };
  const isReplaced = database === undefined && place !== null && hasLostDatabase(place);
  const leaseMs = configuration?.leaseMs ?? null;
  const { rulesOf } = await import('./rules.ts');
  const house = await openHouse({
    database: address,
    limits: configuration?.limits ?? NO_LIMITS,
    rules: rulesOf(place, configuration),
    ...(leaseMs === null ? {} : { leaseMs }),
    ...(place === null ? {} : { workspace: place }),
    ...(place !== null && configuration?.queueFolder === true ? { queueFolder: place } : {}),
    ...(place === null || configuration === null ? {} : taskFolderOf(place, configuration)),
    ...(place !== null && configuration?.documentFolder === true
      ? {
          documentFolder: {
            folder: place.folder,
            privateFolder: place.privateFolder,
            strict: configuration.identity === 'strict',
          },
        }
      : {}),
    ...(report === undefined ? {} : { report }),
    ...(onlyReads === undefined ? {} : { onlyReads }),
    ...(waiting === undefined ? {} : { waiting }),
  });
  known?.keep();
  return { ...house, workspace: place, configuration, isReplaced };
}
