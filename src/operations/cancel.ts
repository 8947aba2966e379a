import { cancel as cancelHandoff } from '../engine/handoffs/reject-and-cancel.ts';
import { longText } from './field.ts';
import { defineMove } from './operation.ts';

export const cancel = defineMove({
  name: 'cancel',
  summary: 'Say that a handoff is no longer wanted',
  example: 'cancel hoff-0190… --as @me',
  input: { reason: longText('Why') },
  aloud: 'cancel what somebody else has sent',
  run: (ctx, principal, { id, reason = null }) => cancelHandoff(ctx, principal, id, reason),
});
