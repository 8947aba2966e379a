import { release as releaseHandoff } from '../engine/handoffs/release.ts';
import { FENCE } from './field.ts';
import { defineMove } from './operation.ts';

export const release = defineMove({
  name: 'release',
  summary: 'Give a handoff back, so that it is offered again; the attempt does not count',
  example: 'release hoff-0190… --fence 1 --as @dev',
  input: { fence: FENCE },
  run: (ctx, principal, { id, fence = null }) => releaseHandoff(ctx, principal, id, fence),
});
