/** Opens a workspace, or a database without one: the one way in for the command line and the library. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { present } from '../foundation/assert.ts';
import { systemTimers } from '../foundation/clock.ts';
import { requireOwnFiles } from '../foundation/file-ownership.ts';
import { NO_LIMITS, type Limits } from '../domain/limits.ts';
import type { EngineEvent } from '../engine/context.ts';
import type { Store } from '../stores/store.ts';
import { databaseOfWorkspace } from '../workspace/database-address.ts';
import { cachedConfiguration } from '../workspace/configuration-cache.ts';
import { systemLiveness } from '../adapters/processes/liveness.ts';
import { openApp, type AppOptions } from './open-app.ts';
import { openStore } from '../adapters/database/open-store.ts';
import {
  hasLostDatabase,
  makePrivateFolder,
  privateFiles,
  workspaceFor,
  type Workspace,
} from '../workspace/workspace.ts';
import type { OpenOptions, OpenWorkspace } from '../workspace/opened-workspace.ts';
import { openPolicy, type WorkspacePolicy } from '../workspace/policy.ts';

/** A fresh clone has no private folder: it must not become part of the repository with the first command. */
function completeWorkspace(place: Workspace): void {
  if (existsSync(place.privateFolder)) return;
  try {
    makePrivateFolder(place);
  } catch {
    // Commands that have to write report this themselves.
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
    requireOwnFiles(privateFiles(place));
  }
  const known = place === null ? null : await cachedConfiguration(place);
  const address = database ?? databaseOfWorkspace(present(place, 'a workspace or a database'), known?.text ?? {});
  const isOwn = place !== null && address.kind === 'sqlite' && address.path === place.databasePath;
  const isReplaced = database === undefined && isOwn && hasLostDatabase(place);
  const liveness = systemLiveness(systemTimers);
  let policy: WorkspacePolicy | null = null;
  const limits = limitsBy(() => policy?.configuration.limits ?? NO_LIMITS);
  const onWaiting = waiting === undefined ? {} : { waiting };
  const store = await openStore({ database: address, limits, report, onlyReads, ...onWaiting }, liveness);
  try {
    const opened = await openPolicy(store, known?.text ?? null);
    policy = opened;
    const app = await openApp({
      database: address,
      store,
      liveness,
      report,
      ...(await appPartsOf(place, opened, store, report)),
    });
    known?.keep();
    return {
      ...app,
      workspace: place,
      policy: opened,
      get configuration() {
        return opened.configuration;
      },
      isReplaced,
    };
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

async function appPartsOf(
  place: Workspace | null,
  policy: WorkspacePolicy,
  store: Store,
  report: (event: EngineEvent) => void,
): Promise<Partial<AppOptions>> {
  const { workspaceRules: rulesOf } = await import('./workspace-rules.ts');
  const { leaseMs, queueFolder, documentFolder, tasks, ...rest } = policy.configuration;
  const refresh = async (): Promise<void> => {
    if (await policy.refresh()) report({ kind: 'policy-changed', version: policy.version });
  };
  const parts = {
    rules: rulesOf(place, () => policy.configuration, refresh, store, policy),
    ...(leaseMs === null ? {} : { leaseMs }),
  };
  if (place === null) return parts;
  const { folder, privateFolder } = place;
  const isStrict = (): boolean => policy.configuration.identity === 'strict';
  return {
    ...parts,
    workspace: place,
    archiveFolder: resolve(folder, rest.retention.archive ?? join(privateFolder, 'archive')),
    ...(queueFolder
      ? { queueFolder: { folder, privateFolder, trusted: rest.queueTrusted, keep: rest.queueKeep } }
      : {}),
    ...(tasks === null
      ? {}
      : { taskFolder: { folder, privateFolder, pattern: tasks.pattern, isRequired: tasks.required } }),
    ...(documentFolder ? { documentFolder: { folder, privateFolder, isStrict } } : {}),
  };
}
