import { activate as activateHandoff } from '../engine/handoffs/activate.ts';
import { ID } from './field.ts';
import { defineOperation } from './operation.ts';

export const activate = defineOperation({
  name: 'activate',
  summary: 'Offer a draft to its recipient',
  example: 'activate hoff-0190… --as @me',
  permission: 'offer',
  scope: 'write',
  subject: 'id',
  input: { id: ID },
  result: 'handoff',
  run: (ctx, principal, { id }) => activateHandoff(ctx, principal, id),
});
