import { renew as renewHandoff } from '../engine/handoffs/accept.ts';
import { duration, FENCE } from './field.ts';
import { defineMove } from './operation.ts';

export const renew = defineMove({
  name: 'renew',
  summary: 'Keep a handoff for longer',
  example: 'renew hoff-0190… --fence 1 --as @dev',
  input: { fence: FENCE, leaseMs: duration({}, 'For how long, from now on (default: 900 seconds)') },
  run: (ctx, principal, { id, fence = null, leaseMs }) => renewHandoff(ctx, principal, id, fence, leaseMs),
});
