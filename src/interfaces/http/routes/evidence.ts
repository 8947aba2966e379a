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
    summary: 'Show the evidence of a handoff: the changes of commits and files, and the result of a check now',
    about:
      'For the operator and for the verifiers of the handoff. Commands are not run here; they run when a verifier approves. A diff has at most 200 KiB; files that git ignores have none.',
    answers: { 200: 'One item for each piece of evidence, in order.' },
    responseShape: EvidenceShape,
    answer: async ({ serverContext, caller, c }) => {
      const id = (c.req.param('id') ?? '') as HandoffId;
      const shown = await shownEvidence(serverContext.ctx, caller.principal, id, requestSignal(serverContext, c));
      if (!shown.ok) throw problemOf(shown.refusal);
      return json({ items: shown.value });
    },
  }),
];
