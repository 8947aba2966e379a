import { PRIORITIES } from '../domain/priority.ts';
import { reassign as reassignHandoff } from '../engine/handoffs/retry.ts';
import { agent, choice, ID, longText } from './field.ts';
import { defineOperation } from './operation.ts';

export const reassign = defineOperation({
  name: 'reassign',
  summary: 'Give the work to another agent, or change its priority',
  about:
    'The terms of a handoff never change, so this cancels the handoff and puts a new one in its place in the chain, in one transaction.',
  example: 'reassign hoff-0190… --to @react --priority high --as @me',
  permission: 'cancel',
  subject: 'id',
  input: {
    id: ID,
    to: agent('The new recipient'),
    priority: choice(PRIORITIES, 'The new priority'),
    reason: longText('Why'),
  },
  explicitAs: 'take work from one agent and give it to another',
  result: 'created',
  check: ({ to, priority }, nameOf) =>
    to === undefined && priority === undefined ? `reassign needs ${nameOf('to')} or ${nameOf('priority')}` : null,
  run: (ctx, principal, request) => reassignHandoff(ctx, principal, request),
});
