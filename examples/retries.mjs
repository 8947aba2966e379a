/** What happens when work fails: failures with codes, automatic retries, and one retry by hand. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonTimeout, HandlerFailure, HandoffNotCompleted, openBaton } from 'batonpass';

const folder = mkdtempSync(join(tmpdir(), 'baton-example-'));
writeFileSync(join(folder, 'baton.yaml'), '');
const baton = await openBaton({ workspace: folder });

try {
  baton.work('@parser', ({ input, attempt }) => {
    // A code that is not on the list of those tried again by themselves ends the handoff at once.
    if (typeof input.number !== 'string') throw new HandlerFailure('BAD_INPUT', 'number has to be a text');
    // Everything else that is thrown is a PROCESSING_ERROR, which is tried again.
    if (input.number === 'flaky' && attempt === 1) throw new Error('the connection was lost');
    return { number: input.number, attempt };
  });
  const retry = { max: 2, delayMs: 10 };

  const flaky = await baton.send({ from: '@me', to: '@parser', input: { number: 'flaky' }, retry });
  const { result } = await baton.wait(flaky.id, { timeoutMs: 30_000 });
  assert.deepEqual(result, { number: 'flaky', attempt: 2 });

  // `wait` throws when it ends otherwise; `code` is the one that the handler gave.
  const wrong = await baton.send({ from: '@me', to: '@parser', input: { number: 7 }, retry });
  await assert.rejects(
    baton.wait(wrong.id, { timeoutMs: 30_000 }),
    (error) => error instanceof HandoffNotCompleted && error.code === 'BAD_INPUT' && error.handoff.state === 'failed',
  );

  // Final is final: once more is a new handoff, which names the old one. The request id makes it safe to repeat.
  const corrected = { as: '@me', input: { number: '7' }, requestId: 'corrected-7' };
  const again = await baton.retry(wrong.id, corrected);
  assert.equal((await baton.retry(wrong.id, corrected)).id, again.id);
  assert.equal(again.retryOf, wrong.id);
  assert.equal((await baton.wait(again.id, { timeoutMs: 30_000 })).state, 'completed');

  // Nobody works for @nobody: the wait ends, the handoff stays.
  const { id } = await baton.send({ from: '@me', to: '@nobody', input: null });
  await assert.rejects(baton.wait(id, { timeoutMs: 50 }), BatonTimeout);
  assert.equal((await baton.load(id)).state, 'offered');
  console.log(`${wrong.id} failed, ${again.id} came in its place`);
} finally {
  await baton.close();
  rmSync(folder, { recursive: true });
}
