/** The status of documents in the database, for a check where identity is strict. A clone may have no database. */
import { existsSync } from 'node:fs';
import { NO_LIMITS } from '../../domain/limits.ts';
import type { HandoffId } from '../../domain/names.ts';
import { STATUS_FOR, type Status } from '../../formats/document/vocabulary.ts';
import { systemTimers } from '../../foundation/clock.ts';
import type { AgentKey } from '../../engine/context.ts';
import { validKeys } from '../../workspace/agent-keys.ts';
import { cachedConfiguration } from '../../workspace/configuration-cache.ts';
import { databaseOfWorkspace, readDatabaseAddress, type DatabaseAddress } from '../../workspace/database-address.ts';
import { systemLiveness } from '../processes/liveness.ts';
import { openStore } from '../database/open-store.ts';
import { workspaceAt } from '../../workspace/workspace.ts';

/** Documents per query. */
const BATCH_MAX = 200;

export interface StoredStatuses {
  /** By id. */
  readonly statuses: ReadonlyMap<string, Status>;
  readonly keys: readonly AgentKey[];
}

const NOTHING: StoredStatuses = { statuses: new Map(), keys: [] };

export async function storedStatuses(folder: string, ids: readonly HandoffId[]): Promise<StoredStatuses> {
  const database = await databaseOf(folder);
  if (database === null || ids.length === 0) return NOTHING;
  const store = await openStore({ database, limits: NO_LIMITS, onlyReads: true }, systemLiveness(systemTimers));
  try {
    const statuses = new Map<string, Status>();
    for (let from = 0; from < ids.length; from += BATCH_MAX) {
      const { items } = await store.find({ by: 'ids', ids: ids.slice(from, from + BATCH_MAX) });
      for (const { id, state } of items) statuses.set(id, STATUS_FOR[state]);
    }
    return { statuses, keys: validKeys(await store.policy.current()) };
  } finally {
    await store.close();
  }
}

async function databaseOf(folder: string): Promise<DatabaseAddress | null> {
  const named = process.env['BATON_DATABASE'] ?? '';
  if (named !== '') return readDatabaseAddress(named);
  const workspace = workspaceAt(folder);
  const text = existsSync(workspace.configurationPath) ? (await cachedConfiguration(workspace)).text : {};
  const database = databaseOfWorkspace(workspace, text);
  return database.kind === 'postgres' || existsSync(database.path) ? database : null;
}
