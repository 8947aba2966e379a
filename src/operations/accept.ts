import { accept as acceptHandoff } from '../engine/handoffs/accept.ts';
import { duration, longText } from './field.ts';
import { defineMove } from './operation.ts';

export const accept = defineMove({
  name: 'accept',
  summary: 'Take this handoff by hand; the answer has its fence',
  example: "accept hoff-0190… --as @dev --notes 'by tomorrow'",
  input: {
    notes: longText('A word for the sender'),
    leaseMs: duration(
      {},
      'How long to keep it without a word (default: 900 seconds; documents: for ever), at most as long as its attempt may take',
    ),
  },
  run: (ctx, principal, { id, ...options }) => acceptHandoff(ctx, principal, id, options),
});
