import { defined } from '../foundation/defined.ts';
import { show as showHandoff } from '../engine/handoffs/read.ts';
import { wait } from '../engine/handoffs/wait.ts';
import { HELD_SECONDS_MAX } from './claim.ts';
import { duration, ID } from './field.ts';
import { defineOperation } from './operation.ts';

export const show = defineOperation({
  name: 'show',
  summary: 'Show a handoff with its input, result and facts',
  example: 'show hoff-0190…',
  permission: 'read',
  subject: 'id',
  route: { method: 'get', path: '/api/handoffs/{id}' },
  input: {
    id: ID,
    waitMs: duration(
      { minSeconds: 0, heldMaxSeconds: HELD_SECONDS_MAX },
      'How long to wait until the handoff is settled; then it is shown in its current state',
      { formerly: { field: 'wait' } },
    ),
  },
  waits: 'waitMs',
  canBeStopped: true,
  result: 'shown',
  run: async (ctx, principal, { id, waitMs = 0 }, { signal }) => {
    if (waitMs > 0) {
      const waited = await wait(ctx, principal, id, { timeoutMs: waitMs, ...defined({ signal }) });
      if (!waited.ok && waited.refusal.code !== 'timed-out') return { ok: false, refusal: waited.refusal };
    }
    return showHandoff(ctx, principal, id);
  },
});
