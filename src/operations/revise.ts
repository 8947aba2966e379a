import { defined } from '../foundation/defined.ts';
import { PRIORITIES } from '../domain/priority.ts';
import { revise as reviseHandoff } from '../engine/handoffs/revise.ts';
import { agent, choice, json, list, longText, text } from './field.ts';
import { defineMove } from './operation.ts';

const input = {
  title: text('A line for people'),
  priority: choice(PRIORITIES, 'How urgent it is'),
  input: json('What it needs, instead of all that it carried'),
  purpose: longText('Of a document: why it is wanted'),
  context: longText('Of a document: what the recipient has to know'),
  deliverables: list(text('A deliverable'), 'What has to be shown with evidence, instead of those before', {
    option: 'deliverable',
    isDistinct: true,
  }),
  criteria: list(text('A criterion'), 'What a verifier has to check, instead of those before', {
    option: 'criterion',
    isDistinct: true,
  }),
  verifiers: list(agent('A verifier'), 'Who has to agree that it is done, beside those that the workspace requires', {
    option: 'verifier',
  }),
} as const;

export const revise = defineMove({
  name: 'revise',
  summary: 'Change what a draft asks for, until it is activated',
  about:
    'What is not named stays as it is. The trail keeps what stood there before, and the clock of the draft runs on. For another recipient there is `reassign`.',
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
