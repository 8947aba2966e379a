/** Without a worker: an agent takes one handoff, keeps it for a while, and delivers. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonRefusal, openBaton } from 'batonpass';

const folder = mkdtempSync(join(tmpdir(), 'baton-example-'));
writeFileSync(join(folder, 'baton.yaml'), '');
const baton = await openBaton({ workspace: folder });

try {
  const { id } = await baton.send({ from: '@lead', to: '@painter', input: { colour: 'blue' }, priority: 'high' });

  // The most urgent one that is offered to @painter, or null. Nobody else can take it for the next minute.
  const taken = await baton.claim('@painter', { leaseMs: 60_000 });
  assert.equal(taken.id, id);
  assert.equal(await baton.claim('@painter'), null);

  // The fence is the number of this acceptance; whoever shows an older one is too late.
  const { fence } = taken;
  await baton.renew(id, { as: '@painter', fence, leaseMs: 5 * 60_000 });
  await baton.progress(id, { as: '@painter', fence, fraction: 0.5, says: 'first coat' });

  // Given back and taken again: the first acceptance is over.
  await baton.release(id, { as: '@painter', fence });
  const again = await baton.accept(id, { as: '@painter', notes: 'now really' });
  assert.equal(again.fence, fence + 1);
  await assert.rejects(
    baton.deliver(id, { as: '@painter', fence, result: { coats: 1 } }),
    (error) => error instanceof BatonRefusal && error.code === 'lease-lost',
  );

  const delivered = await baton.deliver(id, { as: '@painter', fence: again.fence, result: { coats: 2 } });
  assert.equal(delivered.state, 'completed'); // Nobody was asked to verify it.
  assert.deepEqual((await baton.load(id)).result, { coats: 2 });
  console.log(`${id} is ${delivered.state} by hand`);
} finally {
  await baton.close();
  rmSync(folder, { recursive: true });
}
