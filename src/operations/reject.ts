import { reject as rejectHandoff } from '../engine/handoffs/reject-and-cancel.ts';
import { FENCE, ID, longText, required, text } from './field.ts';
import { defineOperation } from './operation.ts';

export const reject = defineOperation({
  name: 'reject',
  summary: 'Decline a handoff, with a reason',
  example: "reject hoff-0190… --as @dev --type unclear --reason 'which login page?'",
  permission: 'reject',
  scope: 'write',
  subject: 'id',
  input: {
    id: ID,
    type: required(text('Why, as a category: skill_gap, unclear, capacity, …')),
    reason: required(longText('Why, in a sentence that the sender can act on')),
    fence: FENCE,
  },
  result: 'handoff',
  run: (ctx, principal, { id, ...rejection }) => rejectHandoff(ctx, principal, id, rejection),
});
