/** Messages for refused steps of a text. */
import type { DeliverRefusal } from '../handoffs/deliver.ts';
import type { SendRefusal } from '../handoffs/send.ts';
import type { Step } from './plan-edit.ts';

export type StepRefusal = DeliverRefusal | SendRefusal | { readonly code: 'not-by-hand'; readonly says: string };

export const NOT_BY_HAND = {
  expire: 'only the clock lets a document expire',
  rework: 'work is sent back with baton verify --refuse',
  fail: 'an attempt is given up with baton fail',
  verify: 'completion_verified_by does not name a verifier',
  revise: 'its sender has no name',
  offer: 'its sender has no name',
  cancel: 'its sender has no name',
  accept: 'acknowledged_by names nobody',
  release: 'its recipient has no name',
  deliver: 'its recipient has no name',
  block: 'only the one who has accepted it asks a question',
  answer: 'nobody is named who answers',
  reject: 'nobody is named who rejects it',
} as const satisfies Record<Step['do'], string>;

export function stepRefusalText(refusal: StepRefusal): string {
  switch (refusal.code) {
    case 'not-by-hand':
      return refusal.says;
    case 'own-work':
      return `${refusal.principal} is the ${refusal.part}, and nobody verifies their own work`;
    case 'not-entitled':
      return `${refusal.principal} may not ${refusal.op}`;
    case 'move-not-allowed':
      return `the handoff is ${refusal.state}: it cannot ${refusal.move}`;
    case 'evidence-missing':
      return `nothing is shown for ${refusal.deliverables.join(', ')}`;
    case 'evidence-unknown':
      return `nobody asked for ${refusal.deliverables.join(', ')}`;
    case 'evidence-false':
      return refusal.checks.map(({ deliverable, says }) => `${deliverable}: ${says}`).join('; ');
    case 'criteria-open':
      return `criteria_checks does not say that these are met: ${refusal.criteria.join(', ')}`;
    default:
      return refusal.code;
  }
}
