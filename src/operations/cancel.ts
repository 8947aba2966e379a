import { cancel as cancelHandoff } from '../engine/handoffs/reject-and-cancel.ts';
import { longText } from './field.ts';
import { defineMove } from './operation.ts';

export const cancel = defineMove({
  name: 'cancel',
  summary: 'Cancel a handoff',
  example: 'cancel hoff-0190… --as @me',
  input: { reason: longText('Why') },
  explicitAs: 'cancel what somebody else has sent',
  run: (ctx, principal, { id, reason = null }) => cancelHandoff(ctx, principal, id, reason),
});
