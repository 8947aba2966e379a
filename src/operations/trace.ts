import { trace as traceHandoff } from '../engine/handoffs/read.ts';
import { ID } from './field.ts';
import { defineOperation } from './operation.ts';

export const trace = defineOperation({
  name: 'trace',
  summary: 'Show the chain of a handoff, oldest leg first; legs that you may not read are left out',
  example: 'trace hoff-0190… --svg chain.svg',
  permission: 'read',
  subject: 'id',
  route: { method: 'get', path: '/api/handoffs/{id}/chain' },
  input: { id: ID },
  result: 'chain',
  run: (ctx, principal, { id }) => traceHandoff(ctx, principal, id),
});
