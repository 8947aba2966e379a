import { defined } from '../foundation/defined.ts';
import { retry as retryHandoff } from '../engine/handoffs/retry.ts';
import { agent, duration, ID, json, REQUEST_ID, WAIT_FOR_CAPACITY } from './field.ts';
import { defineOperation } from './operation.ts';

export const retry = defineOperation({
  name: 'retry',
  summary: 'Make a new handoff out of one that did not succeed',
  example: 'retry hoff-0190… --input fixed.json',
  permission: 'retry',
  subject: 'id',
  input: {
    id: ID,
    to: agent('Somebody else than the first time'),
    input: json('The corrected input; without it, the same once more'),
    timeoutMs: duration({}, 'For each attempt, from pick-up'),
    waitForCapacity: WAIT_FOR_CAPACITY,
    requestId: REQUEST_ID,
  },
  result: 'created',
  run: (ctx, principal, { timeoutMs, ...request }) =>
    retryHandoff(ctx, principal, { ...request, ...defined({ attemptTimeoutMs: timeoutMs }) }),
});
