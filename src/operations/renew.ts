import { renew as renewHandoff } from '../engine/handoffs/accept.ts';
import { duration, FENCE, ID } from './field.ts';
import { defineOperation } from './operation.ts';

export const renew = defineOperation({
  name: 'renew',
  summary: 'Keep a handoff for longer',
  example: 'renew hoff-0190… --fence 1 --as @dev',
  permission: 'renew',
  scope: 'write',
  subject: 'id',
  input: { id: ID, fence: FENCE, leaseMs: duration({}, 'For how long, from now on (default: 900 seconds)') },
  result: 'handoff',
  run: (ctx, principal, { id, fence = null, leaseMs }) => renewHandoff(ctx, principal, id, fence, leaseMs),
});
