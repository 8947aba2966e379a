/** Claims without beating for it, waits until it is told to go on, and then comes with its result. */
import { SESSION_LEASE_MS } from '../../../src/domain/deadlines.ts';
import type { SessionId } from '../../../src/domain/names.ts';
import { agentPrincipal } from '../../../src/domain/principal.ts';
import { claimForSession } from '../../../src/engine/handoffs/claim.ts';
import { deliver } from '../../../src/engine/handoffs/deliver.ts';
import { present } from '../../../src/foundation/assert.ts';
import { agentNamed, barrier, openHouseFor, readOrder, say, type Order } from './orders.ts';

export interface LateOrder extends Order {
  readonly agent: string;
}

const order = readOrder<LateOrder>();
const app = await openHouseFor(order);
const { store, liveness } = app.ctx;
const agent = agentNamed(order.agent);
const session = 'late' as SessionId;
await store.sessions.open({ id: session, agent, process: liveness.self, leaseMs: SESSION_LEASE_MS });
const [claimed] = await claimForSession(app.ctx, agentPrincipal(agent), agent, session, 1);
const { handoff } = present(claimed, 'there is one to claim');
await barrier();
const request = { target: handoff, fence: handoff.fence, result: 'late' };
const delivered = await deliver(app.ctx, agentPrincipal(agent), request);
await app.close();
say(delivered.ok ? { taken: delivered.value.state } : { refused: delivered.refusal });
