import { ok } from '../foundation/result.ts';
import { statusFor } from '../engine/handoffs/status.ts';
import { defineOperation } from './operation.ts';

export const status = defineOperation({
  name: 'status',
  summary: 'What is going on: what needs a person, who is at work, what waits for whom',
  example: 'status',
  permission: 'read',
  route: { method: 'get', path: '/api/status' },
  input: {},
  result: 'status',
  run: async (ctx, principal) => ok(await statusFor(ctx, principal)),
});
