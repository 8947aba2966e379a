/** A store on PostgreSQL as the suite wants it, wherever the address leads. */
import type { Sql } from 'postgres';
import { systemRandom } from '../../src/foundation/random.ts';
import type { Limits } from '../../src/domain/limits.ts';
import { openPostgresStore } from '../../src/stores/postgres/open-postgres-store.ts';
import type { Store } from '../../src/stores/store.ts';
import type { LentDatabase } from '../support/lent-databases.ts';
import type { StoreUnderTest } from './store-under-test.ts';

export async function postgresUnderTest(
  { url, giveBack }: Pick<LentDatabase, 'url' | 'giveBack'>,
  limits: Limits,
  sql: () => Sql,
): Promise<StoreUnderTest> {
  const stores: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await openPostgresStore({ url, limits, random: systemRandom });
    stores.push(store);
    return store;
  };
  return {
    store: await open(),
    reopen: open,
    destroy: async () => {
      await Promise.all(stores.map(async (store) => store.close()));
      await giveBack();
    },
    controlsTime: false,
    damage: async (id, column, value) => {
      const table = column === 'terms' || column === 'lineage' ? 'body' : 'handoff';
      await sql().unsafe(`update baton.${table} set ${column} = $1 where id = $2`, [String(value), id]);
    },
  };
}
