import { cancel as cancelHandoff } from '../engine/handoffs/reject-and-cancel.ts';
import { ID, longText } from './field.ts';
import { defineOperation } from './operation.ts';

export const cancel = defineOperation({
  name: 'cancel',
  summary: 'Say that a handoff is no longer wanted',
  example: 'cancel hoff-0190… --as @me',
  permission: 'cancel',
  scope: 'write',
  subject: 'id',
  input: { id: ID, reason: longText('Why') },
  aloud: 'cancel what somebody else has sent',
  result: 'handoff',
  run: (ctx, principal, { id, reason = null }) => cancelHandoff(ctx, principal, id, reason),
});
