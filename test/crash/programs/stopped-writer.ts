/** Takes the write lock and stops itself with it. Once it is continued it commits and says so, then waits for its end. */
import { newUuid } from '../../../src/foundation/ids.ts';
import { systemRandom } from '../../../src/foundation/random.ts';
import type { SessionId } from '../../../src/domain/names.ts';
import { openDatabase } from '../../../src/stores/sqlite/binding.ts';
import { agentNamed, openHouseFor, readOrder, say, type Order } from './orders.ts';

/** `isOlder`: the database stays at the version that it has. */
const order = readOrder<Order & { readonly hasSession?: true; readonly isOlder?: true }>();
if (order.database.kind !== 'sqlite') throw new Error('only SQLite has a write lock');
if (order.isOlder !== true) await openHere();
const database = openDatabase(order.database.path, { sync: 'full' });
database.exec('BEGIN IMMEDIATE');
say({ holds: true });
process.kill(process.pid, 'SIGSTOP');
database.exec('COMMIT');
say({ committed: true });
setInterval(() => undefined, 1_000);

async function openHere(): Promise<void> {
  const { ctx } = await openHouseFor(order);
  if (order.hasSession !== true) return;
  const id = newUuid(Date.now(), systemRandom) as SessionId;
  await ctx.store.sessions.open({
    id,
    agent: agentNamed('stopped'),
    process: ctx.liveness.self,
    leaseMs: ctx.leaseMs,
  });
}
