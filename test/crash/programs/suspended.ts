/** Commits all the time, with a worker's heartbeat beside it; it can be suspended like a command. */
import { agentPrincipal } from '../../../src/domain/principal.ts';
import { send } from '../../../src/engine/verbs/send.ts';
import { work } from '../../../src/engine/work.ts';
import { suspendBetweenTransactions } from '../../../src/faces/cli/suspend.ts';
import { agentNamed, openHouseFor, readOrder, say, type Order } from './orders.ts';

const [from, to] = [agentNamed('me'), agentNamed('nobody')];
const { around } = await openHouseFor(readOrder<Order>());
suspendBetweenTransactions();
void work(around, { agent: agentNamed('react'), handler: async () => null });
say({ ready: true });
for (let commits = 1; ; commits += 1) {
  await send(around, agentPrincipal(from), { from, to, input: {} });
  say({ commits });
}
