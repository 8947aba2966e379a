import { accept as acceptHandoff } from '../engine/handoffs/accept.ts';
import { duration, ID, longText } from './field.ts';
import { defineOperation } from './operation.ts';

export const accept = defineOperation({
  name: 'accept',
  summary: 'Take this handoff by hand; the answer has its fence',
  example: "accept hoff-0190… --as @dev --notes 'by tomorrow'",
  permission: 'accept',
  scope: 'write',
  subject: 'id',
  input: {
    id: ID,
    notes: longText('A word for the sender'),
    leaseMs: duration(
      {},
      'How long to keep it without a word (default: 900 seconds; documents: for ever), at most as long as its attempt may take',
    ),
  },
  result: 'handoff',
  run: (ctx, principal, { id, ...wish }) => acceptHandoff(ctx, principal, id, wish),
});
