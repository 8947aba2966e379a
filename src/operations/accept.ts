import { accept as acceptHandoff } from '../engine/handoffs/accept.ts';
import { duration, longText } from './field.ts';
import { defineMove } from './operation.ts';

export const accept = defineMove({
  name: 'accept',
  summary: 'Accept a handoff; the answer has the fence',
  example: "accept hoff-0190… --as @dev --notes 'by tomorrow'",
  input: {
    notes: longText('A note for the sender'),
    leaseMs: duration(
      {},
      'How long the lease lasts without a renewal (default: 900 seconds; documents: no limit), at most the time limit of the attempt',
    ),
  },
  run: (ctx, principal, { id, ...options }) => acceptHandoff(ctx, principal, id, options),
});
