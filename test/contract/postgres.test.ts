import { afterAll, describe } from 'vitest';
import { systemRandom } from '../../src/foundation/random.ts';
import { openPostgresStore } from '../../src/stores/postgres/open-postgres-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { privatePostgres, WITHOUT_POSTGRES } from '../support/private-postgres.ts';
import { describeStore } from './store-suite.ts';

const server = await privatePostgres({ fsync: false });
afterAll(async () => server?.remove());

if (server === null) describe.skip(`postgres store (${WITHOUT_POSTGRES})`, () => undefined);
else {
  // Made once, then copied for each test: copying is faster than making.
  const template = await server.createDatabase('empty');
  await (await openPostgresStore({ url: template, limits: { agents: new Map(), everyone: { outgoingMax: null, incomingMax: null } }, random: systemRandom })).close();
  let count = 0;

  describeStore('postgres store', async ({ limits }) => {
    const url = await server.createDatabase(`test_${(count += 1)}`, 'empty');
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
        await Promise.all(stores.map((store) => store.close()));
      },
      controlsTime: false,
    };
  });
}
