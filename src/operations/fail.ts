import { fail as failAttempt } from '../engine/handoffs/fail.ts';
import { FENCE, ID, longText, required, text } from './field.ts';
import { defineOperation } from './operation.ts';

export const fail = defineOperation({
  name: 'fail',
  summary: 'Say that an attempt failed',
  about: 'The retry policy of the handoff decides whether there is another attempt.',
  example: "fail hoff-0190… --fence 1 --code PROCESSING_ERROR --message 'no disk' --as @dev",
  permission: 'fail',
  scope: 'write',
  subject: 'id',
  input: {
    id: ID,
    fence: FENCE,
    code: required(text('What kind of failure, such as PROCESSING_ERROR')),
    message: required(longText('What went wrong')),
  },
  result: 'handoff',
  run: (ctx, principal, { id: target, fence = null, ...failure }) =>
    failAttempt(ctx, principal, { target, fence, failure }),
});
