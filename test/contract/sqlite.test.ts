import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '../../src/foundation/random.ts';
import { openDatabase, prepare } from '../../src/stores/sqlite/binding.ts';
import { openSqliteStore } from '../../src/stores/sqlite/open-sqlite-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { putDatabase } from '../support/sqlite-with-tables.ts';
import { describeStore } from './store-suite.ts';

describeStore('sqlite store', async ({ clock, limits, boot }) => {
  const folder = await mkdtemp(join(tmpdir(), 'baton-contract-'));
  const handles: Store[] = [];
  const path = join(folder, '.baton', 'baton.db');
  putDatabase(path);
  const open = (): Store => {
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
    damage: async (id, column, value) => {
      const database = openDatabase(path, { sync: 'normal' });
      prepare(database, `UPDATE handoff SET ${column} = ? WHERE id = ?`).run(value as string, id);
      database.close();
    },
  };
});
