/** Follows all facts as they are written, without a gap, and again from any cursor. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBaton } from 'batonpass';

const folder = mkdtempSync(join(tmpdir(), 'baton-example-'));
writeFileSync(join(folder, 'baton.yaml'), '');
const baton = await openBaton({ workspace: folder });

try {
  baton.work('@echo', ({ input }) => input);
  const { id } = await baton.send({ from: '@me', to: '@echo', input: { hello: 'world' } });

  // An empty cursor is the very beginning; without `after` the feed begins now. It ends when its signal is aborted.
  const enough = new AbortController();
  const seen = [];
  let cursor = '';
  for await (const item of baton.feed({ after: '', signal: enough.signal })) {
    seen.push(item.fact.deed);
    cursor = item.cursor; // Keep it, and you go on from here after a restart.
    if (item.fact.state === 'completed') enough.abort();
  }
  assert.ok(seen.includes('accept'));

  // From the cursor on there is only what came later.
  const later = new AbortController();
  const another = await baton.send({ from: '@me', to: '@echo', input: {} });
  for await (const { fact } of baton.feed({ after: cursor, signal: later.signal })) {
    assert.equal(fact.handoff, another.id);
    if (fact.state === 'completed') later.abort();
  }
  console.log(`${id}: ${seen.join(', ')}`);
} finally {
  await baton.close(); // Also stops the worker.
  rmSync(folder, { recursive: true });
}
