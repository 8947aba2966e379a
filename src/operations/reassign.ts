import { PRIORITIES } from '../domain/priority.ts';
import { reassign as reassignHandoff } from '../engine/handoffs/retry.ts';
import { agent, choice, ID, longText } from './field.ts';
import { defineOperation } from './operation.ts';

export const reassign = defineOperation({
  name: 'reassign',
  summary: 'Give the same work to somebody else, or another priority',
  about:
    'What was agreed never changes, so the handoff is cancelled and a new one takes its place in the chain, both or neither.',
  example: 'reassign hoff-0190… --to @react --priority high --as @me',
  permission: 'cancel',
  subject: 'id',
  input: {
    id: ID,
    to: agent('Who is to do it instead'),
    priority: choice(PRIORITIES, 'How urgent it is from now on'),
    reason: longText('Why'),
  },
  aloud: 'take work from one agent and give it to another',
  result: 'created',
  check: ({ to, priority }, nameOf) =>
    to === undefined && priority === undefined ? `reassign needs ${nameOf('to')} or ${nameOf('priority')}` : null,
  run: (ctx, principal, request) => reassignHandoff(ctx, principal, request),
});
