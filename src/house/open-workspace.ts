/** A workspace or a bare database becomes a house that stands: the one way in for the command line and the library. */
import { existsSync } from 'node:fs';
import { systemTimers } from '../foundation/clock.ts';
import { flawOfOwnFile } from '../foundation/own-file.ts';
import { StoreFault } from '../foundation/store-fault.ts';
import { NO_LIMITS, type Limits } from '../domain/limits.ts';
import type { EngineEvent } from '../engine/surroundings.ts';
import type { Store } from '../stores/store.ts';
import type { Configuration } from './configuration-values.ts';
import type { DatabaseAddress } from './database-address.ts';
import { knownConfiguration } from './known-configuration.ts';
import { systemLiveness } from './liveness.ts';
import { openHouse, type House, type HouseOptions } from './open-house.ts';
import { openStore } from './open-store.ts';
import { hasLostDatabase, makePrivateFolder, privateFiles, workspaceFor, type Workspace } from './workspace.ts';
import { openPolicy, type WorkspacePolicy } from './workspace-policy.ts';

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
  /** What is in force now: the stored policy, and what is local in `baton.yaml`. */
  readonly configuration: Configuration;
  readonly policy: WorkspacePolicy;
  /** The database was gone, and this one is new and empty. */
  readonly isReplaced: boolean;
}

function taskFolderOf(
  { folder, privateFolder }: Workspace,
  { tasks }: Pick<Configuration, 'tasks'>,
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
  report = () => undefined,
  onlyReads = false,
  waiting,
}: OpenOptions): Promise<OpenWorkspace | null> {
  const place = workspaceFor(workspace);
  if (place === null && database === undefined) return null;
  if (place !== null) {
    completeWorkspace(place);
    refuseFilesOfOthers(place);
  }
  const known = place === null ? null : await knownConfiguration(place);
  const address = database ?? { kind: 'sqlite', path: place?.databasePath ?? '' };
  const isReplaced = database === undefined && place !== null && hasLostDatabase(place);
  const liveness = systemLiveness(systemTimers);
  let policy: WorkspacePolicy | null = null;
  const limits = limitsBy(() => policy?.configuration.limits ?? NO_LIMITS);
  const told = waiting === undefined ? {} : { waiting };
  const store = await openStore({ database: address, limits, report, onlyReads, ...told }, liveness);
  try {
    policy = await openPolicy(store, known?.text ?? null);
    const house = await openHouse({
      database: address,
      store,
      liveness,
      report,
      ...(await housePartsOf(place, policy, store, report)),
    });
    known?.keep();
    return openedFrom(house, place, policy, isReplaced);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** A view of the limits that are in force at the moment they are asked for. */
function limitsBy(now: () => Limits): Limits {
  return {
    get agents() {
      return now().agents;
    },
    get everyone() {
      return now().everyone;
    },
  };
}

async function housePartsOf(
  place: Workspace | null,
  policy: WorkspacePolicy,
  store: Store,
  report: (event: EngineEvent) => void,
): Promise<Partial<HouseOptions>> {
  const { rulesOf } = await import('./rules.ts');
  const { leaseMs, queueFolder, documentFolder, ...rest } = policy.configuration;
  const refresh = async (): Promise<void> => {
    if (await policy.refresh()) report({ kind: 'policy-changed', version: policy.version });
  };
  const parts = {
    rules: rulesOf(place, () => policy.configuration, refresh, store),
    ...(leaseMs === null ? {} : { leaseMs }),
  };
  if (place === null) return parts;
  const { folder, privateFolder } = place;
  const isStrict = (): boolean => policy.configuration.identity === 'strict';
  return {
    ...parts,
    workspace: place,
    ...(queueFolder ? { queueFolder: place } : {}),
    ...taskFolderOf(place, rest),
    ...(documentFolder ? { documentFolder: { folder, privateFolder, isStrict } } : {}),
  };
}

function openedFrom(
  house: House,
  workspace: Workspace | null,
  policy: WorkspacePolicy,
  isReplaced: boolean,
): OpenWorkspace {
  return {
    ...house,
    workspace,
    policy,
    get configuration() {
      return policy.configuration;
    },
    isReplaced,
  };
}
