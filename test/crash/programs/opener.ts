/** Opens a database that is not there yet at the same moment as others do, sends once, and says the id. */
import { agentPrincipal } from '../../../src/domain/principal.ts';
import { send } from '../../../src/engine/handoffs/send.ts';
import { agentNamed, barrier, openHouseFor, readOrder, say, type Order } from './orders.ts';

const order = readOrder<Order>();
await barrier();
const app = await openHouseFor(order);
const from = agentNamed('sender');
const sent = await send(app.ctx, agentPrincipal(from), { from, to: agentNamed('worker'), input: {} });
await app.close();
say({ sent: sent.ok ? sent.value.id : sent.refusal.code });
