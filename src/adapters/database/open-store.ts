/** Opens the database that an address names. */
import { systemClock } from '../../foundation/clock.ts';
import { systemRandom } from '../../foundation/random.ts';
import type { Limits } from '../../domain/limits.ts';
import type { EngineEvent, Liveness } from '../../engine/context.ts';
import type { Store } from '../../stores/store.ts';
import type { DatabaseAddress } from '../../workspace/database-address.ts';

export interface StoreOptions {
  readonly database: DatabaseAddress;
  /** Read at every change: the limits may follow a policy that is known only when the database is open. */
  readonly limits: Limits;
  /** Called with the reason while the start waits for a database server. */
  readonly waiting?: (why: Error) => void;
  /** Nothing will be written: where nothing can be, it is opened all the same. */
  readonly onlyReads?: boolean;
  readonly report?: (event: EngineEvent) => void;
}

export async function openStore(options: StoreOptions, liveness: Liveness): Promise<Store> {
  const { database, limits, waiting, onlyReads = false, report = () => undefined } = options;
  // Throws where this process has no clock in common with others: better now than with a lease.
  systemClock.monotonicMs();
  if (database.kind === 'postgres') {
    const { openPostgresStore } = await import('../../stores/postgres/open-postgres-store.ts');
    const onWaiting = waiting === undefined ? {} : { waiting };
    return openPostgresStore({ url: database.url, limits, random: systemRandom, ...onWaiting });
  }
  const { openSqliteStore } = await import('../../stores/sqlite/open-sqlite-store.ts');
  return openSqliteStore({
    path: database.path,
    limits,
    clock: systemClock,
    random: systemRandom,
    boot: liveness.self.boot,
    isAlive: (process) => liveness.of(process) === 'alive',
    waiting: (says) => report({ kind: 'store-waiting', says }),
    ...(onlyReads ? { readOnly: (says: string) => report({ kind: 'store-read-only', says }) } : {}),
  });
}
