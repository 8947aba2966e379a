/** Prunes on request: "go" starts, "halt" stops and is answered with the number of removed handoffs. */
import { openApp } from '../src/app/open-app.ts';
import { prune } from '../src/engine/retention/prune.ts';
import { openHandoffArchive } from '../src/folders/handoff-archive.ts';
import type { DatabaseAddress } from '../src/workspace/database-address.ts';

const [address = '', folder = ''] = process.argv.slice(2);
const app = await openApp({ database: JSON.parse(address) as DatabaseAddress });
const archive = openHandoffArchive(folder);
let stop = new AbortController();
let running: Promise<number> = Promise.resolve(0);

process.on('message', (what) => {
  if (what === 'go') {
    stop = new AbortController();
    const options = { settledBefore: app.ctx.store.nowMs(), isDryRun: false, signal: stop.signal };
    running = prune(app.ctx, archive, options).then(({ handoffs }) => handoffs);
  } else {
    stop.abort();
    void running.then((removed) => process.send?.({ removed, cpuMs: process.cpuUsage().user / 1000 }));
  }
});
process.send?.({ removed: 0 });
