/** Wires shadows for a workspace: which sandbox, where records are, what the configuration says. */
import { mkdirSync, realpathSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../../foundation/clock.ts';
import { hexDigestOf } from '../../foundation/digest.ts';
import { orNull } from '../../foundation/or-null.ts';
import { isWithin } from '../../foundation/path-within.ts';
import { systemRandom } from '../../foundation/random.ts';
import type { ShadowSettings, ShadowContext } from '../../engine/shadow/shadow-context.ts';
import type { Liveness } from '../../engine/context.ts';
import { containerSandbox } from '../../shadows/container/container-sandbox.ts';
import { systemHostChecks } from '../../shadows/host-only/host-checks.ts';
import { gitSnapshots } from '../../shadows/snapshot.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { shadowRecords } from './shadow-records.ts';
import type { ShadowText } from '../../workspace/shadow-settings.ts';

const DEFAULTS = { memoryMb: 2_048, processes: 512, commandSeconds: 300, testSeconds: 900, lifeSeconds: 3_600 };

export function openShadows(
  { folder, privateFolder }: Workspace,
  text: ShadowText | null,
  liveness: Pick<Liveness, 'self' | 'of'>,
): ShadowContext {
  const stateFolder = join(privateFolder, 'shadows');
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const inWorkspace = (path: string): string => resolve(folder, withoutTilde(path));
  return {
    sandbox: containerSandbox({
      runtime: text?.runtime ?? null,
      image: text?.image ?? null,
      containerfile: text?.containerfile === undefined ? null : inWorkspace(text.containerfile),
      stateFolder,
      workspaceTag: tagOf(folder),
      memoryMb: text?.memory_mb ?? DEFAULTS.memoryMb,
      processes: text?.processes ?? DEFAULTS.processes,
    }),
    snapshots: gitSnapshots,
    hostChecks: systemHostChecks,
    records: shadowRecords(stateFolder),
    settings: settingsOf(text, text?.cache === undefined ? null : inWorkspace(text.cache)),
    clock: systemClock,
    random: systemRandom,
    liveness,
    hostName: hostname(),
    hostPath: (path) => resolve(withoutTilde(path)),
  };
}

function settingsOf(text: ShadowText | null, cache: string | null): ShadowSettings {
  const given = Object.entries(text?.commands ?? {}).filter(([, command]) => command !== undefined);
  return {
    projectType: text?.project_type ?? null,
    commands: Object.fromEntries(given),
    cache,
    requiredLimits: text?.require_limits ?? [],
    hostOnly: text?.host_only === 'refuse' ? 'refused' : 'allowed',
    commandMs: (text?.command_seconds ?? DEFAULTS.commandSeconds) * 1000,
    testMs: (text?.test_seconds ?? DEFAULTS.testSeconds) * 1000,
    lifeMs: (text?.life_seconds ?? DEFAULTS.lifeSeconds) * 1000,
  };
}

export function withoutTilde(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}

/** Short, and the same for every way to the folder. */
function tagOf(folder: string): string {
  return hexDigestOf(realpathSync(folder)).slice(0, 10);
}

/** Whether a path lies in the folder, once all links are followed. */
export function liesIn(folder: string, path: string): boolean {
  return orNull(() => isWithin(realpathSync(path), realpathSync(folder))) === true;
}
