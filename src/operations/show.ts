import { defined } from '../foundation/defined.ts';
import { show as showHandoff } from '../engine/handoffs/read.ts';
import { wait } from '../engine/handoffs/wait.ts';
import { HELD_SECONDS_MAX } from './claim.ts';
import { duration, ID } from './field.ts';
import { defineOperation } from './operation.ts';

export const show = defineOperation({
  name: 'show',
  summary: 'One handoff with what it carries and everything that happened to it',
  example: 'show hoff-0190…',
  permission: 'read',
  subject: 'id',
  route: { method: 'get', path: '/api/handoffs/{id}' },
  input: {
    id: ID,
    waitMs: duration(
      { minSeconds: 0, heldMaxSeconds: HELD_SECONDS_MAX },
      'Wait this long for it to be settled; then it is shown as it is',
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
