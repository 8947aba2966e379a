#!/usr/bin/env node
/** A test of your own worker: no file, no waiting, about a millisecond. Run it with node, or with any test runner. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { HandlerFailure } from 'batonpass';
import { openTestBaton } from 'batonpass/testing';

const ship = ({ input, attempt }) => {
  if (attempt === 1) throw new HandlerFailure('PROCESSING_ERROR', 'the carrier is busy');
  return { shipped: input.order };
};

await test('ships at the second attempt, a minute later', async () => {
  const { baton, clock, drain } = await openTestBaton();
  baton.work('@shop', ship);
  await baton.send({ from: '@me', to: '@shop', input: { order: 7 }, retry: { delayMs: 60_000 } });
  const [done] = await drain();
  assert.deepEqual([done.state, done.attempt, done.result], ['completed', 2, { shipped: 7 }]);
  assert.ok(clock.now() >= new Date('2026-01-01T00:01:00Z'));
  await baton.close();
});
