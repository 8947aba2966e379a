import { progress as tellProgress } from '../engine/handoffs/progress.ts';
import { FENCE, longText, number } from './field.ts';
import { defineMove } from './operation.ts';

export const progress = defineMove({
  name: 'progress',
  summary: 'Report the progress of a handoff',
  example: "progress hoff-0190… --fence 1 --fraction 0.5 --says 'tests pass' --as @dev",
  input: {
    fence: FENCE,
    fraction: number(0, 1, 'How much of the work is done, from 0 to 1', { formerly: { option: 'at' } }),
    says: longText('The progress in words'),
  },
  check: ({ fraction, says }, nameOf) =>
    fraction === undefined && says === undefined ? `progress needs ${nameOf('fraction')} or ${nameOf('says')}` : null,
  run: (ctx, principal, { id, fence = null, fraction = null, says = null }) =>
    tellProgress(ctx, principal, id, fence, { fraction, says }),
});
