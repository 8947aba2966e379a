/** A server for one test file, and fresh databases and stores on it for each test. */
import { afterAll, describe, onTestFinished } from 'vitest';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import { present } from '../../src/foundation/assert.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../../src/stores/postgres/open-postgres-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { processOf, SESSION, WORKER } from '../contract/builders.ts';
import {
  privatePostgres,
  WITHOUT_POSTGRES,
  type PrivateOptions,
  type PrivatePostgres,
} from '../support/private-postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

export interface Fixture {
  readonly server: PrivatePostgres;
  /** A new, empty database and its name. */
  database(): Promise<{ readonly url: string; readonly name: string }>;
  /** A store that is closed with the test, with one session open. */
  open(url: string, options?: Partial<PostgresStoreOptions>): Promise<Store>;
}

/** Describes tests that need a server; without PostgreSQL they skip and say why. */
export async function describeWithServer(
  title: string,
  options: PrivateOptions | 'shared',
  tests: (fixture: Fixture) => void,
): Promise<void> {
  const started = options === 'shared' ? await sharedPostgres() : await privatePostgres(options);
  const missing = started === null ? ` (${WITHOUT_POSTGRES})` : '';
  let count = 0;
  describe.skipIf(started === null)(`${title}${missing}`, () => {
    afterAll(async () => started?.remove());
    tests({
      get server() {
        return present(started, 'there is a server');
      },
      database: async () => {
        const url = await present(started, 'there is a server').createDatabase(`test_${(count += 1)}`);
        return { url, name: new URL(url).pathname.slice(1) };
      },
      open: async (url, more = {}) => {
        const store = await openPostgresStore({ url, limits: NO_LIMITS, random: systemRandom, ...more });
        onTestFinished(async () => store.close());
        await store.sessions.open({ id: SESSION, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
        return store;
      },
    });
  });
}

/** Ends the connections of all stores on one database, as an administrator would, and says how many. */
export async function endBackends(server: PrivatePostgres, name: string): Promise<number> {
  const rows = await server.sql()`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'baton%' and datname = ${name}`;
  return rows.length;
}

export async function faultOf(work: Promise<unknown>): Promise<Error> {
  const outcome: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  return present(outcome instanceof Error ? outcome : null, 'it is refused with an error');
}
