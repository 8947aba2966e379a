import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '../../src/foundation/random.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open-sqlite-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { describeStore } from './store-suite.ts';

describeStore('sqlite store', async ({ clock, limits, boot }) => {
  const folder = await mkdtemp(join(tmpdir(), 'baton-contract-'));
  const handles: Store[] = [];
  const open = (): Store => {
    const path = join(folder, '.baton', 'baton.db');
    const store = openSqliteStore({ path, limits, clock, random: systemRandom, boot });
    handles.push(store);
    return store;
  };
  return {
    store: open(),
    reopen: async () => open(),
    destroy: async () => {
      await Promise.all(handles.map(async (store) => store.close()));
      await rm(folder, { recursive: true, force: true });
    },
    controlsTime: true,
  };
});
