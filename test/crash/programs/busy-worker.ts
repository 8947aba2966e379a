/** A worker whose handler stops the event loop for longer than the lease lasts. */
import { runDuty } from '../../../src/engine/duty.ts';
import { work } from '../../../src/engine/work.ts';
import { agentNamed, openHouseFor, readOrder, say, type Order } from './orders.ts';

export interface BusyOrder extends Order {
  readonly agent: string;
  readonly busyMs: number;
}

const order = readOrder<BusyOrder>();
const app = await openHouseFor(order);
const over = new AbortController();
const duty = runDuty(app.ctx, over.signal);
const done = await work(app.ctx, {
  agent: agentNamed(order.agent),
  attemptsMax: 1,
  handler: async ({ handoff }) => {
    say({ begun: handoff.fence });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, order.busyMs);
    say({ ended: handoff.fence });
    return 'busy';
  },
});
over.abort();
await duty;
await app.close();
say(done);
