import { activate as activateHandoff } from '../engine/handoffs/activate.ts';
import { defineMove } from './operation.ts';

export const activate = defineMove({
  name: 'activate',
  summary: 'Offer a draft to its recipient',
  example: 'activate hoff-0190… --as @me',
  permission: 'offer',
  run: (ctx, principal, { id }) => activateHandoff(ctx, principal, id),
});
