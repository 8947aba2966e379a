import { progress as tellProgress } from '../engine/handoffs/progress.ts';
import { FENCE, ID, longText, number } from './field.ts';
import { defineOperation } from './operation.ts';

export const progress = defineOperation({
  name: 'progress',
  summary: 'Tell how far a handoff is',
  example: "progress hoff-0190… --fence 1 --fraction 0.5 --says 'tests pass' --as @dev",
  permission: 'progress',
  scope: 'write',
  subject: 'id',
  input: {
    id: ID,
    fence: FENCE,
    fraction: number(0, 1, 'How much of it is done, from 0 to 1', { formerly: { option: 'at' } }),
    says: longText('How far it is, in words'),
  },
  result: 'handoff',
  check: ({ fraction, says }, nameOf) =>
    fraction === undefined && says === undefined ? `progress needs ${nameOf('fraction')} or ${nameOf('says')}` : null,
  run: (ctx, principal, { id, fence = null, fraction = null, says = null }) =>
    tellProgress(ctx, principal, id, fence, { fraction, says }),
});
