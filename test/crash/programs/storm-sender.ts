/** Sends until it is killed, and says each id after it was acknowledged. */
import { agentPrincipal } from '../../../src/domain/principal.ts';
import { DEFAULT_RETRY } from '../../../src/domain/retry-policy.ts';
import { send } from '../../../src/engine/handoffs/send.ts';
import { agentNamed, openHouseFor, readOrder, say, type Order } from './orders.ts';

/** Slow enough that those who work can follow. */
const PAUSE_MS = 5;
const from = agentNamed('sender');
const to = agentNamed('relay');
/** Losing its worker counts as an attempt, and in this storm most workers are lost. */
const terms = { retry: { ...DEFAULT_RETRY, retriesMax: 100 } };

const { ctx } = await openHouseFor(readOrder<Order>());
for (;;) {
  const sent = await send(ctx, agentPrincipal(from), { from, to, input: {}, terms });
  if (!sent.ok) throw new Error(`refused: ${sent.refusal.code}`);
  say({ sent: sent.value.id });
  await ctx.timers.sleep(PAUSE_MS);
}
