import { defined } from '../foundation/defined.ts';
import { EVIDENCE_KINDS } from '../domain/evidence.ts';
import { deliver as deliverHandoff } from '../engine/handoffs/deliver.ts';
import { choice, FENCE, groupOrText, json, list, longText, required, text } from './field.ts';
import { defineMove } from './operation.ts';

const KINDS = EVIDENCE_KINDS.join(', ');
/** `login page=file:src/login.tsx`. The name ends at the first `=` that is followed by a kind. */
const EVIDENCE_TEXT = new RegExp(`^(.+?)=(${EVIDENCE_KINDS.join('|')}):(.+)$`, 's');

/** The evidence for a deliverable. */
export const evidenceField = groupOrText(
  {
    deliverable: required(text('The deliverable')),
    kind: required(choice(EVIDENCE_KINDS, 'The kind of evidence')),
    value: required(longText('The path, commit, command, URL or text')),
  },
  {
    form: `DELIVERABLE=KIND:VALUE, where KIND is one of ${KINDS}`,
    read: (given) => {
      const [, deliverable, kind, value] = EVIDENCE_TEXT.exec(given) ?? [];
      return deliverable === undefined ? null : { deliverable, kind, value };
    },
  },
  'One piece of evidence',
);

export const deliver = defineMove({
  name: 'deliver',
  summary: 'Deliver the work, with its result and evidence',
  about: 'Evidence is checked before anything is written.',
  example: "deliver hoff-0190… --fence 1 --evidence 'login page=file:src/login.tsx' --as @dev",
  input: {
    fence: FENCE,
    result: json('The result', { formerly: { option: 'artifact' } }),
    evidence: list(evidenceField, `The evidence for the deliverables; kind is one of ${KINDS}`),
  },
  canBeStopped: true,
  run: (ctx, principal, { id: target, fence = null, result = null, evidence = [] }, { signal }) =>
    deliverHandoff(ctx, principal, { target, fence, result, evidence, ...defined({ signal }) }),
});
