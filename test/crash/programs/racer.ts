/** One of many who want the same handoff: opens a session, waits for the sign, claims once, and says what it got. */
import { SESSION_LEASE_MS } from '../../../src/domain/deadlines.ts';
import type { SessionId } from '../../../src/domain/names.ts';
import { agentPrincipal } from '../../../src/domain/principal.ts';
import { claimForSession } from '../../../src/engine/handoffs/claim.ts';
import { agentNamed, barrier, openHouseFor, readOrder, say, type Order } from './orders.ts';

export interface RacerOrder extends Order {
  readonly agent: string;
  readonly session: string;
}

const order = readOrder<RacerOrder>();
const { ctx } = await openHouseFor(order);
const agent = agentNamed(order.agent);
const session = order.session as SessionId;
await ctx.store.sessions.open({ id: session, agent, process: ctx.liveness.self, leaseMs: SESSION_LEASE_MS });
await barrier();
const claimed = await claimForSession(ctx, agentPrincipal(agent), agent, session, 1);
say({ won: claimed.map(({ handoff }) => ({ id: handoff.id, fence: handoff.fence })) });
// Left as it is: the winner keeps what it has, as if it were at work.
process.exit(0);
