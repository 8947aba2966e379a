import { block as blockHandoff } from '../engine/handoffs/block.ts';
import { FENCE, ID, longText, required } from './field.ts';
import { defineOperation } from './operation.ts';

export const block = defineOperation({
  name: 'block',
  summary: 'Stop a handoff until somebody has answered a question',
  example: "block hoff-0190… --fence 1 --question 'which colour?' --as @dev",
  permission: 'block',
  scope: 'write',
  subject: 'id',
  input: { id: ID, fence: FENCE, question: required(longText('What has to be answered')) },
  result: 'handoff',
  run: (ctx, principal, { id, fence = null, question }) => blockHandoff(ctx, principal, id, fence, question),
});
