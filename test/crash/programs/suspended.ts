/** Commits all the time, with a worker's heartbeat beside it; it can be suspended like a command. */
import { agentPrincipal } from '../../../src/domain/principal.ts';
import { send } from '../../../src/engine/handoffs/send.ts';
import { work } from '../../../src/engine/work.ts';
import { suspendBetweenTransactions } from '../../../src/interfaces/cli/suspend.ts';
import { agentNamed, openHouseFor, readOrder, say, type Order } from './orders.ts';

const [from, to] = [agentNamed('me'), agentNamed('nobody')];
const { ctx } = await openHouseFor(readOrder<Order>());
suspendBetweenTransactions();
void work(ctx, { agent: agentNamed('react'), handler: async () => null });
say({ ready: true });
for (let commits = 1; ; commits += 1) {
  await send(ctx, agentPrincipal(from), { from, to, input: {} });
  say({ commits });
}
