/**
 * Sends and works on PostgreSQL, where workers may run on many machines:
 *
 *   BATON_DATABASE=postgres://baton@db.internal/baton node postgres.mjs
 */
import assert from 'node:assert/strict';
import { openBaton } from 'batonpass';

const database = process.env.BATON_DATABASE;
if (database === undefined) throw new Error('set BATON_DATABASE to the address of a PostgreSQL database');

// The tables are made on first use. Two openings stand for two machines.
const here = await openBaton({ database });
const there = await openBaton({ database });

try {
  const worker = there.work('@adder', ({ input }) => input.a + input.b, { concurrency: 4 });

  // All of them or none, in one transaction.
  const sent = await here.sendMany(
    [1, 2, 3].map((a) => ({ from: '@me', to: '@adder', input: { a, b: 10 }, task: 'sums' })),
  );
  const sums = await Promise.all(sent.map(async ({ id }) => (await here.wait(id, { timeoutMs: 30_000 })).result));
  assert.deepEqual(sums, [11, 12, 13]);

  const { items } = await here.find({ task: 'sums', states: ['completed'] });
  assert.ok(items.length >= 3);
  await worker.stop();
  console.log('sums:', ...sums);
} finally {
  await there.close();
  await here.close();
}
