/** Works until it is killed, stands duty, and says each id after its completion was acknowledged. */
import { runDuty } from '../../../src/engine/duty.ts';
import { work } from '../../../src/engine/work.ts';
import { openApp } from '../../../src/app/open-app.ts';
import { NO_LIMITS } from '../../../src/domain/limits.ts';
import { agentNamed, readOrder, say, type Order } from './orders.ts';

const CONCURRENCY = 8;

const { database, leaseMs } = readOrder<Order>();
const { ctx } = await openApp({
  database,
  limits: NO_LIMITS,
  ...(leaseMs === undefined ? {} : { leaseMs }),
  report: (event) => {
    if (event.kind === 'attempt-settled' && event.state === 'completed') {
      say({ completed: event.id });
      process.send?.('works');
    }
    if (event.kind === 'session-lost') say({ lost: event.session });
    if (event.kind === 'result-refused') say({ refused: event.refusal.code });
    if (event.kind === 'fault') say({ fault: `${event.doing}: ${String(event.error)}` });
  },
});
void runDuty(ctx, new AbortController().signal);
await work(ctx, {
  agent: agentNamed('relay'),
  concurrency: CONCURRENCY,
  handler: async ({ handoff }) => {
    // A few are in hands at any moment, so that a kill finds them there.
    await ctx.timers.sleep(handoff.attempt % 2 === 1 ? 20 : 0);
    return { fence: handoff.fence };
  },
});
