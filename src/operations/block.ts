import { block as blockHandoff } from '../engine/handoffs/block.ts';
import { FENCE, longText, required } from './field.ts';
import { defineMove } from './operation.ts';

export const block = defineMove({
  name: 'block',
  summary: 'Ask a question; the handoff is blocked until it is answered',
  example: "block hoff-0190… --fence 1 --question 'which colour?' --as @dev",
  input: { fence: FENCE, question: required(longText('The question to answer')) },
  run: (ctx, principal, { id, fence = null, question }) => blockHandoff(ctx, principal, id, fence, question),
});
