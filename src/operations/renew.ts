import { renew as renewHandoff } from '../engine/handoffs/accept.ts';
import { duration, FENCE } from './field.ts';
import { defineMove } from './operation.ts';

export const renew = defineMove({
  name: 'renew',
  summary: 'Extend the lease of a handoff',
  example: 'renew hoff-0190… --fence 1 --as @dev',
  input: { fence: FENCE, leaseMs: duration({}, 'The new length of the lease, from now on (default: 900 seconds)') },
  run: (ctx, principal, { id, fence = null, leaseMs }) => renewHandoff(ctx, principal, id, fence, leaseMs),
});
