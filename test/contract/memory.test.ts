import { openMemoryStore } from '../../src/stores/memory/memory-store.ts';
import { describeStore } from './store-suite.ts';

describeStore('memory store', async ({ clock, limits }) => {
  const store = openMemoryStore({ clock, limits });
  return { store, reopen: null, destroy: async () => store.close(), controlsTime: true };
});
