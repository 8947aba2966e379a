import { unblock as unblockHandoff } from '../engine/handoffs/block.ts';
import { longText } from './field.ts';
import { defineMove } from './operation.ts';

export const unblock = defineMove({
  name: 'unblock',
  summary: 'Answer the question of a blocked handoff, so that it continues',
  example: "unblock hoff-0190… --answer 'blue' --as @me",
  input: { answer: longText('The answer to its question') },
  run: (ctx, principal, { id, answer = null }) => unblockHandoff(ctx, principal, id, answer),
});
