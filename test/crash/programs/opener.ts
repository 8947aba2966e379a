/** Opens a database that is not there yet at the same moment as others do, sends once, and says the id. */
import { agentPrincipal } from '../../../src/domain/principal.ts';
import { send } from '../../../src/engine/verbs/send.ts';
import { agentNamed, barrier, openHouseFor, readOrder, say, type Order } from './orders.ts';

const order = readOrder<Order>();
await barrier();
const house = await openHouseFor(order);
const from = agentNamed('sender');
const sent = await send(house.around, agentPrincipal(from), { from, to: agentNamed('worker'), input: {} });
await house.close();
say({ sent: sent.ok ? sent.value.id : sent.refusal.code });
