import { reject as rejectHandoff } from '../engine/handoffs/reject-and-cancel.ts';
import { FENCE, longText, required, text } from './field.ts';
import { defineMove } from './operation.ts';

export const reject = defineMove({
  name: 'reject',
  summary: 'Decline a handoff, with a reason',
  example: "reject hoff-0190… --as @dev --type unclear --reason 'which login page?'",
  input: {
    type: required(text('The category: skill_gap, unclear, capacity, …')),
    reason: required(longText('The reason, in a sentence that the sender can act on')),
    fence: FENCE,
  },
  run: (ctx, principal, { id, ...rejection }) => rejectHandoff(ctx, principal, id, rejection),
});
