/** Opens the database that an address names. */
import { systemClock } from '../foundation/clock.ts';
import { systemRandom } from '../foundation/random.ts';
import type { Limits } from '../domain/limits.ts';
import type { Store } from '../stores/store.ts';
import type { DatabaseAddress } from './database-address.ts';

export interface StoreOptions {
  readonly database: DatabaseAddress;
  /** Read at every change: the limits may follow a policy that is known only when the database is open. */
  readonly limits: Limits;
  /** Told why, while a server is waited for at the beginning. */
  readonly waiting?: (why: Error) => void;
}

export async function openStore({ database, limits, waiting }: StoreOptions, boot: string): Promise<Store> {
  if (database.kind === 'postgres') {
    const { openPostgresStore } = await import('../stores/postgres/open-postgres-store.ts');
    const told = waiting === undefined ? {} : { waiting };
    return openPostgresStore({ url: database.url, limits, random: systemRandom, ...told });
  }
  const { openSqliteStore } = await import('../stores/sqlite/open-sqlite-store.ts');
  return openSqliteStore({ path: database.path, limits, clock: systemClock, random: systemRandom, boot });
}
