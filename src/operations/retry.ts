import { defined } from '../foundation/defined.ts';
import { retry as retryHandoff } from '../engine/handoffs/retry.ts';
import { agent, duration, ID, json, REQUEST_ID, WAIT_FOR_CAPACITY } from './field.ts';
import { defineOperation } from './operation.ts';

export const retry = defineOperation({
  name: 'retry',
  summary: 'Send a handoff that did not succeed again, as a new handoff',
  example: 'retry hoff-0190… --input fixed.json',
  permission: 'retry',
  subject: 'id',
  input: {
    id: ID,
    to: agent('Another recipient (default: the same one)'),
    input: json('The corrected input (default: the same input)'),
    timeoutMs: duration({}, 'Time limit of each attempt, from its start'),
    waitForCapacity: WAIT_FOR_CAPACITY,
    requestId: REQUEST_ID,
  },
  result: 'created',
  run: (ctx, principal, { timeoutMs, ...request }) =>
    retryHandoff(ctx, principal, { ...request, ...defined({ attemptTimeoutMs: timeoutMs }) }),
});
