/** A workspace or a bare database becomes a house that stands: the one way in for the command line and the library. */
import { NO_LIMITS } from '../domain/limits.ts';
import type { EngineEvent } from '../engine/surroundings.ts';
import type { Configuration } from './configuration-values.ts';
import type { DatabaseAddress } from './database-address.ts';
import { knownConfiguration } from './known-configuration.ts';
import { openHouse, type House } from './open-house.ts';
import { workspaceFor, type Workspace } from './workspace.ts';

export interface OpenOptions {
  /** Its folder; without one, the nearest from here upwards. */
  readonly workspace?: string;
  /** Instead of the workspace's own. */
  readonly database?: DatabaseAddress;
  readonly report?: (event: EngineEvent) => void;
}

export interface OpenWorkspace extends House {
  readonly workspace: Workspace | null;
  readonly configuration: Configuration | null;
}

/** Null: there is neither a workspace nor a database. */
export async function openWorkspace({ workspace, database, report }: OpenOptions): Promise<OpenWorkspace | null> {
  const place = workspaceFor(workspace);
  if (place === null && database === undefined) return null;
  const known = place === null ? null : await knownConfiguration(place);
  const configuration = known?.configuration ?? null;
  const address = database ?? { kind: 'sqlite', path: place?.databasePath ?? '' };
  const leaseMs = configuration?.leaseMs ?? null;
  const { rulesOf } = await import('./rules.ts');
  const house = await openHouse({
    database: address,
    limits: configuration?.limits ?? NO_LIMITS,
    rules: rulesOf(place, configuration),
    ...(leaseMs === null ? {} : { leaseMs }),
    ...(place !== null && configuration?.queueFolder === true
      ? { queueFolder: { folder: place.folder, privateFolder: place.privateFolder } }
      : {}),
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
  });
  known?.keep();
  return { ...house, workspace: place, configuration };
}
