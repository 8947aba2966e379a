/**
 * Decisions for the steps of a commit, which have happened elsewhere. All steps are written together, or none if one of
 * them is not legal. Evidence is not checked again, because a commit must never make this machine run a command.
 */
import { defined } from '../../foundation/defined.ts';
import type { JsonText } from '../../foundation/json.ts';
import { ok } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { FactType } from '../../domain/fact-types.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { accept } from '../../domain/moves/accept.ts';
import { block, unblock } from '../../domain/moves/block.ts';
import { deliver } from '../../domain/moves/deliver.ts';
import { cancel, expire, reject } from '../../domain/moves/reject-cancel-expire.ts';
import { failForGood } from '../../domain/moves/fail.ts';
import { offer } from '../../domain/moves/offer.ts';
import { giveBack } from '../../domain/moves/release.ts';
import type { Moved } from '../../domain/moves/step.ts';
import { rework, verify } from '../../domain/moves/verify.ts';
import type { Principal } from '../../domain/principal.ts';
import { refuseValue } from '../../domain/record-values.ts';
import type { Op } from '../../domain/rights.ts';
import { needsVerifier } from '../../domain/verification.ts';
import { andThen, decideBy, type RequestedMove } from '../change.ts';
import { revisedBy, decideRevision, type Revision } from '../handoffs/revise.ts';
import { completeByRule } from '../handoffs/deliver.ts';
import { failureText, resultText } from '../handoffs/failure-text.ts';
import { seenDetail } from '../handoffs/verify.ts';
import { verifiersIn } from '../../formats/document/read.ts';
import type { DocumentFields } from '../../formats/document/schema.ts';
import { claimsOf, type RevisedFields, type Step } from './plan-edit.ts';

export interface CommittedStep {
  readonly step: Step;
  readonly by: Principal;
}

/** The decision with the deadline of the text, however late the text is read. */
export function withTextClock(decide: Decide, fields: DocumentFields): Decide {
  return (handoff, nowMs) => {
    const decided = decide(handoff, nowMs);
    return decided.ok ? ok({ ...decided.value, handoff: withTextDeadline(fields, decided.value.handoff) }) : decided;
  };
}

/** Takes the deadline of a draft or an offer, and the time of an open question, from the text. */
export function withTextDeadline(fields: DocumentFields, handoff: Handoff): Handoff {
  const { state, terms } = handoff;
  const term = (state === 'draft' ? terms.draftMs : state === 'offered' ? terms.offeredMs : null) ?? Number.NaN;
  const since = state === 'blocked' ? Date.parse(fields.updated_at ?? '') : Date.parse(fields.expires_at ?? '') - term;
  return Number.isNaN(since) ? handoff : { ...handoff, since: Math.max(0, since) };
}

/** `body` of the draft. Only a revision reads it, and a revision is always the first step. */
export function decideFromCommit(
  [first, ...rest]: readonly [CommittedStep, ...CommittedStep[]],
  body: JsonText,
): Decide {
  return rest.reduce(
    (all, next) => andThen(all, ({ state }) => !isFinal(state), decisionOf(next, body)),
    decisionOf(first, body),
  );
}

const NO_RESULT = resultText(null);

function decisionOf({ step, by }: CommittedStep, body: JsonText): Decide {
  const decide = (
    op: Op & FactType,
    move: (handoff: Handoff, nowMs: number) => Moved,
    more: Pick<RequestedMove, 'detail' | 'outcome'> = {},
  ): Decide => decideBy(by, op, (handoff, nowMs) => ({ deed: op, moved: move(handoff, nowMs), ...more }));
  switch (step.do) {
    case 'revise':
      return (handoff, nowMs) => {
        const revised = revisedBy({ handoff, body }, revisionOf(step.fields));
        if (!revised.ok) return refuseValue({ field: 'input', given: 'a text', allowed: revised.refusal.says });
        return decideRevision(by, revised.value, 'in time')(handoff, nowMs);
      };
    case 'offer':
      return decide('offer', offer);
    case 'accept':
      return decide(
        'accept',
        (handoff, nowMs) => accept(handoff, { by: 'hand', holder: handoff.to, untilAt: null }, nowMs),
        { detail: step.notes === null ? null : { notes: step.notes } },
      );
    case 'release':
      return decide('release', (handoff, nowMs) => giveBack(handoff, null, nowMs));
    case 'deliver': {
      const delivery = { fence: null, claims: claimsOf(step.shown), checks: [] };
      const delivered = decide('deliver', (handoff, nowMs) => deliver(handoff, delivery, nowMs), {
        outcome: NO_RESULT,
      });
      return andThen(delivered, (handoff) => !needsVerifier(handoff), completeByRule('a commit'));
    }
    case 'verify': {
      const verdict = { checks: [], criteria: step.criteria.map(({ criterion }) => criterion) };
      const notes = step.notes === null ? {} : { notes: step.notes };
      const criteria = step.criteria.map((each) => ({ ...each }));
      return decide('verify', (handoff, nowMs) => verify(handoff, verdict, nowMs), {
        detail: { ...notes, criteria, ...seenDetail(step.seen) },
      });
    }
    case 'rework':
      return decideBy(by, 'rework', (handoff, nowMs) => ({
        ...rework(handoff, nowMs),
        detail: { reason: step.reason },
      }));
    case 'block': {
      const question = { reason: 'question', text: step.question } as const;
      return decide('block', (handoff, nowMs) => block(handoff, question, null, nowMs), {
        detail: { question: step.question },
      });
    }
    case 'answer':
      return decide('unblock', unblock, { detail: step.answer === null ? null : { answer: step.answer } });
    case 'reject':
      return decide('reject', (handoff, nowMs) => reject(handoff, null, nowMs), {
        detail: { type: step.type, reason: step.reason },
        outcome: failureText({ code: 'REJECTED', message: step.reason }),
      });
    case 'cancel':
      return decide('cancel', cancel, {
        detail: { reason: step.reason },
        outcome: failureText({ code: 'CANCELLED', message: step.reason }),
      });
    case 'fail': {
      const [, code = 'FAILED', message = step.reason] = /^([A-Z][A-Z_]*): (.*)$/s.exec(step.reason) ?? [];
      return decide('fail', failForGood, { detail: { code, message }, outcome: failureText({ code, message }) });
    }
    case 'expire':
      return decide('expire', expire);
  }
}

/** What the fields of a document change in the draft. */
export function revisionOf(fields: RevisedFields): Revision {
  const { title, purpose, context, deliverables, verification_criteria: criteria } = fields;
  const verifiers = fields.verifiers === undefined ? undefined : verifiersIn(fields);
  const terms = defined({ deliverables, criteria, verifiers });
  const inputFields = defined({ purpose, context });
  return { ...defined({ title }), ...(Object.keys(terms).length === 0 ? {} : { terms }), inputFields };
}
