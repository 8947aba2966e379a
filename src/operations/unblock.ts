import { unblock as unblockHandoff } from '../engine/handoffs/block.ts';
import { ID, longText } from './field.ts';
import { defineOperation } from './operation.ts';

export const unblock = defineOperation({
  name: 'unblock',
  summary: 'Let a blocked handoff go on, with an answer',
  example: "unblock hoff-0190… --answer 'blue' --as @me",
  permission: 'unblock',
  scope: 'write',
  subject: 'id',
  input: { id: ID, answer: longText('The answer to its question') },
  result: 'handoff',
  run: (ctx, principal, { id, answer = null }) => unblockHandoff(ctx, principal, id, answer),
});
