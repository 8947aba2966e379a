import { systemClock, systemTimers } from '../foundation/clock.ts';
import type { Baton, OpenBatonOptions } from '../interfaces/library/baton.ts';
import { BatonRefusal } from '../interfaces/library/errors.ts';
import { openBatonWith } from '../interfaces/library/open-baton.ts';
import { addressIn } from '../interfaces/library/requests.ts';
import { IN_MEMORY } from '../workspace/database-address.ts';
import type { OpenWorkspace } from '../workspace/opened-workspace.ts';
import { openWorkspace } from './open-workspace.ts';

/** Opens a workspace, or a database, for programs. */
export async function openBaton(options: OpenBatonOptions = {}): Promise<Baton> {
  const { workspace, onEvent } = options;
  // A variable that is empty is one that is not set.
  const database = options.database ?? process.env['BATON_DATABASE'] ?? '';
  if (database === IN_MEMORY) return openBatonWith(() => inMemory(options), options);
  return openBatonWith(
    () =>
      openWorkspace({
        ...(workspace === undefined ? {} : { workspace }),
        ...(database === '' ? {} : { database: addressIn(database) }),
        ...(onEvent === undefined ? {} : { report: onEvent }),
      }),
    options,
  );
}

async function inMemory({ workspace, onEvent }: OpenBatonOptions): Promise<OpenWorkspace> {
  if (workspace !== undefined) {
    const says = `database ${IN_MEMORY} has no folder: leave out workspace, or name the workspace alone`;
    throw new BatonRefusal('bad-request', says);
  }
  const { openInMemory, timerHeartbeat } = await import('./open-in-memory.ts');
  const time = { ...systemClock, ...systemTimers };
  return openInMemory({ time, heartbeatOf: timerHeartbeat(systemTimers), report: onEvent });
}
