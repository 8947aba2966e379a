import { defined } from '../foundation/defined.ts';
import { PRIORITIES } from '../domain/priority.ts';
import { revise as reviseHandoff } from '../engine/handoffs/revise.ts';
import { agent, choice, json, list, longText, text } from './field.ts';
import { defineMove } from './operation.ts';

const input = {
  title: text('A title for people, in one line'),
  priority: choice(PRIORITIES, 'The priority'),
  input: json('The new input; it replaces all of the old one'),
  purpose: longText('For documents: why the work is wanted'),
  context: longText('For documents: what the recipient has to know'),
  deliverables: list(text('A deliverable'), 'What the doer has to deliver with evidence; replaces the old list', {
    option: 'deliverable',
    isDistinct: true,
  }),
  criteria: list(text('A criterion'), 'What a verifier has to check; replaces the old list', {
    option: 'criterion',
    isDistinct: true,
  }),
  verifiers: list(
    agent('A verifier'),
    'Who has to agree that the work is done, besides those that the workspace requires',
    {
      option: 'verifier',
    },
  ),
} as const;

export const revise = defineMove({
  name: 'revise',
  summary: 'Change a draft before it is activated',
  about:
    'Fields that you do not name stay as they are. The trail keeps the old values, and the deadline of the draft stays the same. To change the recipient, use `reassign`.',
  example: "revise hoff-0190… --title 'Login page' --deliverable 'login page' --as @me",
  input,
  check: ({ id, ...asked }, nameOf) => {
    void id;
    const { input: whole, purpose, context } = asked;
    if (Object.values(asked).every((value) => value === undefined)) {
      return `revise needs something to change, such as ${nameOf('title')}`;
    }
    const isTwice = whole !== undefined && (purpose !== undefined || context !== undefined);
    return isTwice ? `say either ${nameOf('input')} or its fields` : null;
  },
  run: (ctx, principal, { id, title, priority, input: whole, deliverables, criteria, verifiers, ...said }) => {
    const terms = defined({ deliverables, criteria, verifiers });
    return reviseHandoff(ctx, principal, id, {
      ...defined({ title, priority, input: whole }),
      ...(Object.keys(terms).length === 0 ? {} : { terms }),
      // As `create` writes them into the input of a document.
      inputFields: said,
    });
  },
});
