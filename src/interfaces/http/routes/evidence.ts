/** The evidence of a handoff, for its reviewers. */
import type { HandoffId } from '../../../domain/names.ts';
import { shownEvidence } from '../../../engine/handoffs/shown-evidence.ts';
import { EvidenceShape } from '../../shared/view-shapes.ts';
import { endpoint, json, type Endpoint } from '../contract.ts';
import { problemOf } from '../problem.ts';
import { requestSignal } from '../long-request.ts';

export const EVIDENCE_ROUTES: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/handoffs/{id}/evidence',
    scope: 'read',
    summary: 'What was shown for a handoff: the changes of commits and files, and what the machine finds now',
    about:
      'For the operator and for those who may verify it. Commands are not run: they run when somebody approves. A diff has at most 200 KiB; files that git ignores have none.',
    answers: { 200: 'One for each piece of evidence, in order.' },
    gives: EvidenceShape,
    answer: async ({ serverContext, caller, c }) => {
      const id = (c.req.param('id') ?? '') as HandoffId;
      const shown = await shownEvidence(serverContext.ctx, caller.principal, id, requestSignal(serverContext, c));
      if (!shown.ok) throw problemOf(shown.refusal);
      return json({ items: shown.value });
    },
  }),
];
