import { ok } from '../foundation/result.ts';
import { show as showHandoff } from '../engine/handoffs/read.ts';
import { ID } from './field.ts';
import { defineOperation } from './operation.ts';

export const facts = defineOperation({
  name: 'facts',
  summary: 'List the facts of a handoff, in order',
  example: 'facts hoff-0190… --json',
  permission: 'read',
  subject: 'id',
  route: { method: 'get', path: '/api/handoffs/{id}/facts' },
  input: { id: ID },
  result: 'facts',
  run: async (ctx, principal, { id }) => {
    const found = await showHandoff(ctx, principal, id);
    return found.ok ? ok(found.value.facts) : found;
  },
});
