import { block as blockHandoff } from '../engine/handoffs/block.ts';
import { FENCE, longText, required } from './field.ts';
import { defineMove } from './operation.ts';

export const block = defineMove({
  name: 'block',
  summary: 'Stop a handoff until somebody has answered a question',
  example: "block hoff-0190… --fence 1 --question 'which colour?' --as @dev",
  input: { fence: FENCE, question: required(longText('What has to be answered')) },
  run: (ctx, principal, { id, fence = null, question }) => blockHandoff(ctx, principal, id, fence, question),
});
