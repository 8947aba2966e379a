import { fail as failAttempt } from '../engine/handoffs/fail.ts';
import { FENCE, longText, required, text } from './field.ts';
import { defineMove } from './operation.ts';

export const fail = defineMove({
  name: 'fail',
  summary: 'Report that an attempt failed',
  about: 'The retry policy of the handoff decides whether another attempt follows.',
  example: "fail hoff-0190… --fence 1 --code PROCESSING_ERROR --message 'no disk' --as @dev",
  input: {
    fence: FENCE,
    code: required(text('The kind of failure, such as PROCESSING_ERROR')),
    message: required(longText('What went wrong')),
  },
  run: (ctx, principal, { id: target, fence = null, ...failure }) =>
    failAttempt(ctx, principal, { target, fence, failure }),
});
