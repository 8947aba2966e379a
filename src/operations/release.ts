import { release as releaseHandoff } from '../engine/handoffs/release.ts';
import { FENCE, ID } from './field.ts';
import { defineOperation } from './operation.ts';

export const release = defineOperation({
  name: 'release',
  summary: 'Give a handoff back; the attempt does not count',
  example: 'release hoff-0190… --fence 1 --as @dev',
  permission: 'release',
  scope: 'write',
  subject: 'id',
  input: { id: ID, fence: FENCE },
  result: 'handoff',
  run: (ctx, principal, { id, fence = null }) => releaseHandoff(ctx, principal, id, fence),
});
