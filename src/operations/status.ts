import { ok } from '../foundation/result.ts';
import { statusFor } from '../engine/handoffs/status.ts';
import { defineOperation } from './operation.ts';

export const status = defineOperation({
  name: 'status',
  summary: 'Show what needs a person, which agents are working, and what is waiting',
  example: 'status',
  permission: 'read',
  route: { method: 'get', path: '/api/status' },
  input: {},
  result: 'status',
  run: async (ctx, principal) => ok(await statusFor(ctx, principal)),
});
