import { defined } from '../foundation/defined.ts';
import { err } from '../foundation/result.ts';
import { wait as waitFor } from '../engine/handoffs/wait.ts';
import { HELD_SECONDS_MAX } from './claim.ts';
import { duration, ID } from './field.ts';
import { defineOperation } from './operation.ts';

const YEAR_SECONDS = 366 * 24 * 60 * 60;

export const wait = defineOperation({
  name: 'wait',
  summary: 'Wait until a handoff is settled, and show its result',
  example: 'wait hoff-0190… --timeout 60',
  permission: 'read',
  subject: 'id',
  route: { method: 'get', path: '/api/handoffs/{id}/wait' },
  input: {
    id: ID,
    timeoutMs: duration(
      { minSeconds: 0, maxSeconds: YEAR_SECONDS, heldMaxSeconds: HELD_SECONDS_MAX, heldDefaultSeconds: 30 },
      'Give up after this long (default: never; over HTTP 30 seconds)',
      { formerly: { field: 'seconds' } },
    ),
  },
  waits: 'timeoutMs',
  canBeStopped: true,
  result: 'settled',
  run: async (ctx, principal, { id, timeoutMs }, { signal }) => {
    const waited = await waitFor(ctx, principal, id, defined({ timeoutMs, signal }));
    // The time that was asked for, and not the time that has passed.
    const isOver = !waited.ok && waited.refusal.code === 'timed-out' && timeoutMs !== undefined;
    return isOver ? err({ code: 'timed-out', id, afterMs: timeoutMs }) : waited;
  },
});
